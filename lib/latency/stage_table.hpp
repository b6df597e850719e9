// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "latency/stage_histogram.hpp"
#include "latency/stamps.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::latency {

/// What a StageTable has measured.
struct StageFigures {
  std::uint32_t sample = 0;    ///< one in `sample` messages was selected
  std::uint64_t messages = 0;  ///< messages of which all stages are known
  /// Messages whose entry had to make room for another one. They are not in the histograms.
  std::uint64_t overflows = 0;
  /// Stamps that found no room on the way to the table.
  std::uint64_t lost_stamps = 0;
  /// Messages that are not complete. At the end of a run, these are the ones that were lost or flushed.
  std::uint64_t incomplete = 0;
  std::array<StageHistogram, kSpans> histograms{};  ///< in the order of spans()
};

/// Joins the stamps of messages, which several parts report independently of each other: the board, the
/// network, and the receiver. A message enters with its first stamp, in any order of both sides, and leaves
/// for the histograms when it was sent, notified and completed. A full table gives up the oldest message.
///
/// Sans-I/O, not thread-safe; only the constructor allocates. In real time, it belongs to the control thread,
/// to which the workers pass their stamps.
class StageTable {
 public:
  static constexpr std::size_t kEntries = 4096;

  explicit StageTable(std::uint32_t sample);

  /// Takes a stamp. A stamp of an unknown message that can not be its first is ignored: it belongs to a
  /// repetition, or to a message that had to leave.
  void put(MessageKey key, Stage stage, Time at);
  void lose_stamps(std::uint64_t n) { figures_.lost_stamps += n; }

  /// `incomplete` is current.
  const StageFigures& figures() const { return figures_; }

 private:
  static constexpr std::size_t kSlots = 2 * kEntries;  ///< a power of two
  static constexpr std::uint16_t kNone = 0xffff;

  struct Record {
    MessageKey key = 0;
    std::uint32_t known = 0;  ///< bit p is set if the time of point p is known
    std::uint16_t hops = 0;   ///< switches that were entered
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

/// Stamps that go directly into a table: for a single thread in virtual time.
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
