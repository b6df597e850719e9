// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/events.hpp"
#include "stats/outcome.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace softfeb::detector {
class EventRecorder;
}
namespace softfeb::eventfile {
class EventFile;
}

namespace softfeb::experiment {

/// Throws ConfigError if an event file exists or cannot be created. Creates no files.
void check_event_files(const config::RunConfig& config);

class EventFiles;

/// Returns the services that endpoints with event data need. If `files` is null, events are not written.
/// `config` and `files` must outlive the result.
endpoints::EventServices event_services(const config::RunConfig& config, EventFiles* files);

/// The event files of a run. Each file has its own writing thread.
class EventFiles {
 public:
  /// If `wait` is true (in virtual time), event builders wait for the disk when the queue of a file is full.
  /// Otherwise, events that do not fit in the queue are not written. `config` must outlive this object.
  EventFiles(const config::RunConfig& config, bool wait);
  /// Removes files to which nothing was written because the run did not begin.
  ~EventFiles();

  /// Creates the event file of receiver `r`; null if it has none. Throws ConfigError.
  detector::EventRecorder* create(std::size_t r);
  /// Writes the remaining events and closes all files. Call after finish() of the event builders.
  std::vector<std::optional<stats::EventFileOutcome>> finish();

 private:
  const config::RunConfig& config_;
  bool wait_;
  bool finished_ = false;
  std::vector<std::unique_ptr<eventfile::EventFile>> files_;  ///< indexed like RunConfig::receivers
};

}  // namespace softfeb::experiment
