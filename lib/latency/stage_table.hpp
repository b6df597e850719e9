// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "latency/stage_histogram.hpp"
#include "latency/stamps.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::latency {

/// Measurements of a StageTable.
struct StageFigures {
  std::uint32_t sample = 0;    ///< one message in `sample` was selected
  std::uint64_t messages = 0;  ///< messages that are complete and in the histograms
  /// Messages that were removed before they were complete, because another message needed their entry. They
  /// are not in the histograms.
  std::uint64_t overflows = 0;
  /// Stamps that were lost on the way to the table, because a queue was full.
  std::uint64_t lost_stamps = 0;
  /// Messages that are not complete. At the end of a run, these are the messages that were lost or flushed.
  std::uint64_t incomplete = 0;
  std::array<StageHistogram, kSpans> histograms{};  ///< one histogram for each span, in the order of spans()
};

/// Combines the stamps of each message. The board, the network and the receiver report stamps independently
/// of each other. A message enters the table with the stamp kTriggered or kReceived, whichever is reported
/// first. The message is added to the histograms and removed from the table once it was sent, the requester
/// has completed it, and the receiver was notified. The table does not wait for the notification of a
/// receiver in another process. If the table is full, a new message replaces the oldest one.
///
/// Sans-I/O, not thread-safe; only the constructor allocates. In real time, the table belongs to the control
/// thread, to which the workers pass their stamps.
class StageTable {
 public:
  static constexpr std::size_t kEntries = 4096;

  explicit StageTable(std::uint32_t sample);

  /// Records a stamp. If the message is not in the table, any stamp other than kTriggered and kReceived is
  /// ignored, because it belongs to a retransmission, or to a message that was removed.
  void put(MessageKey key, Stage stage, Time at);
  void lose_stamps(std::uint64_t n) { figures_.lost_stamps += n; }

  /// May be called at any time; `incomplete` counts the messages that are in the table now.
  const StageFigures& figures() const { return figures_; }

 private:
  static constexpr std::size_t kSlots = 2 * kEntries;  ///< a power of two
  static constexpr std::uint16_t kNone = 0xffff;

  struct Record {
    MessageKey key = 0;
    std::uint32_t known = 0;  ///< bit p is set if the time of point p is known
    std::uint16_t hops = 0;   ///< number of switches that the message has entered
    std::uint16_t older = kNone, newer = kNone;
    std::array<Time, kPoints> at{};

    bool knows(std::size_t point) const { return (known >> point & 1U) != 0; }
    bool knows(Stage stage) const { return knows(point_of(stage)); }
    void set(std::size_t point, Time t) {
      known |= 1U << point;
      at[point] = t;
    }
  };

  static std::size_t home(MessageKey key) {
    return static_cast<std::size_t>(key * 0xd6e8feb86659fd93U >> 51) % kSlots;
  }
  std::size_t slot_of(MessageKey key) const;
  Record& open(std::size_t slot, MessageKey key);
  static void record(Record& r, Stage stage, Time at);
  static bool complete(const Record& r);
  void add(const Record& r);
  void remove(std::uint16_t entry);
  void unlink(std::uint16_t entry);

  std::vector<Record> records_;
  std::vector<std::uint16_t> slots_;  ///< hash table: indices of records
  std::vector<std::uint16_t> free_;
  std::uint16_t oldest_ = kNone, newest_ = kNone;
  StageFigures figures_;
};

/// Puts stamps directly into a table, for a single thread in virtual time.
class DirectStamps final : public Stamps {
 public:
  explicit DirectStamps(std::uint32_t sample) : Stamps(Sampling(sample)), table_(sample) {}

  void put(MessageKey key, Stage stage, Time at) override { table_.put(key, stage, at); }
  Time clock(Time now) override { return now; }
  const StageTable& table() const { return table_; }

 private:
  StageTable table_;
};

}  // namespace softfeb::latency
