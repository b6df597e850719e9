// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "eventfile/event_assembly.hpp"
#include "eventfile/event_file_config.hpp"
#include "eventfile/event_tables.hpp"
#include "eventfile/free_space.hpp"
#include "eventfile/record_queue.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace softfeb::eventfile {

/// Kind of a record in the queue, stored in its first bytes.
enum class RecordKind : std::uint64_t {
  kFragment,  ///< followed by a detector::EventHeader and its payload
  kClosed,    ///< followed by a ClosedRecord
};

/// The consumer of the queue: assembles events and writes them. The writer thread must call poll() and
/// finish(). Any thread may read the counters.
class EventWriter {
 public:
  /// Creates the file. Throws EventFileError.
  EventWriter(const EventFileConfig& config, RecordQueue& queue);

  /// Handles queued records until the queue is empty, but at most 256 of them. Then flushes the file if a
  /// flush is due. Returns false if the queue was already empty at the call.
  bool poll();
  /// Handles all queued records and closes the file.
  void finish();

  std::uint64_t written() const { return written_.load(std::memory_order_relaxed); }
  std::uint64_t not_written() const { return not_written_.load(std::memory_order_relaxed); }
  std::uint64_t fragments() const { return fragments_.load(std::memory_order_relaxed); }
  std::uint64_t data_bytes() const { return data_bytes_.load(std::memory_order_relaxed); }
  /// Description of the last error; empty if there was none. Must not be read while the writer thread runs.
  const std::string& error() const { return error_; }

 private:
  /// Numbers of rows in the tables /events and /fragments, and the number of bytes in /data.
  struct Written {
    std::uint64_t events = 0;
    std::uint64_t fragments = 0;
    std::uint64_t data_bytes = 0;
  };

  using Clock = std::chrono::steady_clock;

  void handle(std::span<const std::uint8_t> record);
  void on_closed(const ClosedRecord& closed);
  void write_event();
  void flush_if_due();
  void fail(const std::string& what);

  RecordQueue& queue_;
  EventAssembly assembly_;
  FreeSpace space_;
  std::string path_;
  Clock::duration flush_every_;
  Clock::time_point flush_at_;
  std::optional<EventTables> tables_;
  std::string error_;
  bool disk_full_ = false;
  Written flushed_;  ///< counts at the last flush
  std::atomic<std::uint64_t> written_{0};
  std::atomic<std::uint64_t> not_written_{0};
  std::atomic<std::uint64_t> fragments_{0};
  std::atomic<std::uint64_t> data_bytes_{0};
};

}  // namespace softfeb::eventfile
