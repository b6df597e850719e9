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
  std::uint64_t written = 0;  ///< closed events that were written
  /// Closed events that were not written because a part of them did not fit in the queue, in the memory for
  /// open events or on the disk.
  std::uint64_t not_written = 0;
  std::uint64_t fragments = 0;   ///< rows written to /fragments
  std::uint64_t data_bytes = 0;  ///< bytes written to /data
  std::uint64_t queue_peak = 0;  ///< largest number of bytes in the queue
};

/// Writes the events of one builder to an HDF5 file (doc/events.md). Other programs can read the file while
/// it grows (SWMR), and can also read it if the writer was killed.
///
/// The builder's thread copies each accepted fragment to a bounded queue. This thread never waits, allocates
/// or enters the kernel; only if EventFileConfig::wait is set, it sleeps while the queue is full. A thread of
/// this object assembles and writes the events, and flushes the file every EventFileConfig::flush_ms. An
/// event is written with all of its accepted fragments or not at all.
class EventFile final : public detector::EventRecorder {
 public:
  /// Creates the file. Throws EventFileError. Does not change an existing file.
  explicit EventFile(const EventFileConfig& config);
  /// Calls finish().
  ~EventFile() override;
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  /// These overrides are public, so that the EventRecorder of a caller can forward its calls to them.
  void record_fragment(const detector::EventHeader& header, ByteSpan payload) override;
  void record_closed(const detector::ClosedEvent& event, std::optional<Time> latency) override;

  /// May be called by any thread. Before finish(), events in the queue count as neither `written` nor
  /// `not_written`.
  EventFileStats stats() const;
  /// Writes the queued records and closes the file. Call after the builder's finish(); make no further calls.
  /// Blocks until the disk has stored the data.
  void finish();
  /// After finish(), the reason why the file is incomplete; empty if it was written without errors.
  const std::string& error() const;

 private:
  class Impl;

  std::unique_ptr<Impl> impl_;
};

}  // namespace softfeb::eventfile
