// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "detector/event_recorder.hpp"
#include "eventfile/event_file_config.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace softfeb::eventfile {

struct EventFileStats {
  std::uint64_t closed = 0;   ///< events that the builder has closed
  std::uint64_t written = 0;  ///< of these
  /// Of these: events of which the queue, the held memory or the disk could not take every part.
  std::uint64_t not_written = 0;
  std::uint64_t fragments = 0;   ///< written, rows of /fragments
  std::uint64_t data_bytes = 0;  ///< written to /data
  std::uint64_t queue_peak = 0;  ///< bytes
};

/// Writes the events of one builder to an HDF5 file (doc/events.md). Programs can read the file while it
/// grows (SWMR), and after the writer was killed.
///
/// The builder's thread copies each accepted fragment to a bounded queue, and never waits, allocates or
/// enters the kernel. A thread of this object assembles and writes the events and flushes the file every
/// second. An event is written with all of its accepted fragments or not at all.
class EventFile final : public detector::EventRecorder {
 public:
  /// Creates the file. Throws EventFileError; an existing file stays as it is.
  explicit EventFile(const EventFileConfig& config);
  /// Calls finish().
  ~EventFile() override;
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  /// For a builder's own recorder, which passes its calls on.
  void record_fragment(const detector::EventHeader& header, ByteSpan payload) override;
  void record_closed(const detector::ClosedEvent& event, std::optional<Time> latency) override;

  /// May be called by any thread. Until finish(), events in the queue are neither written nor not written.
  EventFileStats stats() const;
  /// Writes what is queued and closes the file. Call after the builder's finish(), without further calls.
  /// Blocks as long as the disk takes.
  void finish();
  /// After finish(): why the file is incomplete; empty if it was written without errors.
  const std::string& error() const;

 private:
  class Impl;

  std::unique_ptr<Impl> impl_;
};

}  // namespace softfeb::eventfile
