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

/// Refuses event files that exist or cannot be created. Creates nothing. Throws ConfigError.
void check_event_files(const config::RunConfig& config);

class EventFiles;

/// Returns what endpoints with event data need from files. If `files` is null, events are not written.
/// `config` and `files` must outlive the result.
endpoints::EventServices event_services(const config::RunConfig& config, EventFiles* files);

/// The event files of a run. Each is written by a thread of its own.
class EventFiles {
 public:
  /// `wait`: builders wait for the disk, as in virtual time; otherwise, events that do not fit in a queue are
  /// not written. `config` must outlive this object.
  EventFiles(const config::RunConfig& config, bool wait);
  /// Removes files to which nothing was written because the run did not begin.
  ~EventFiles();

  /// Creates the event file of receiver `r`; null if it has none. Throws ConfigError.
  detector::EventRecorder* create(std::size_t r);
  /// Writes what is queued and closes all files. Call after the builders' finish().
  std::vector<std::optional<stats::EventFileOutcome>> finish();

 private:
  const config::RunConfig& config_;
  bool wait_;
  bool finished_ = false;
  std::vector<std::unique_ptr<eventfile::EventFile>> files_;  ///< indexed like RunConfig::receivers
};

}  // namespace softfeb::experiment
