// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

namespace softfeb::engine {

/// Schedules queue pairs that share a rate (one congestion control for a board or an IP pair). Queue pairs
/// that wait for the same rate form a FIFO line. When the rate permits a packet, only the first queue pair in
/// the line is woken. If all waiting queue pairs were woken for every packet, the wake-up order would decide
/// which queue pair sends.
class SharedRates {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// `qps` is the number of queue pairs, each in at most one line; 0 if no rate is shared.
  explicit SharedRates(std::size_t qps, std::pmr::memory_resource* memory = std::pmr::new_delete_resource())
      : line_of_(qps, kNone, memory), next_(qps, kNone, memory), waiting_(qps, 0, memory) {}

  /// Adds an empty line and returns its number.
  std::uint32_t add_line() {
    lines_.emplace_back();
    return static_cast<std::uint32_t>(lines_.size() - 1);
  }
  void join(std::uint32_t qp, std::uint32_t line) { line_of_[qp] = line; }
  /// Returns kNone if the queue pair does not share a rate.
  std::uint32_t line_of(std::uint32_t qp) const { return line_of_.empty() ? kNone : line_of_[qp]; }

  /// Appends `qp` to its line. Does nothing if `qp` is already in the line.
  void wait(std::uint32_t qp) {
    if (waiting_[qp] != 0) return;
    waiting_[qp] = 1;
    next_[qp] = kNone;
    Line& line = lines_[line_of_[qp]];
    (line.first == kNone ? line.first : next_[line.last]) = qp;
    line.last = qp;
  }
  /// Returns the next queue pair to wake; kNone if the line is empty or if the queue pair of the last
  /// call() has not been served yet.
  std::uint32_t first(std::uint32_t line) const {
    return lines_[line].called == kNone ? lines_[line].first : kNone;
  }
  /// Removes the first queue pair from the line. Requires first(line) != kNone.
  std::uint32_t pop(std::uint32_t line) {
    const std::uint32_t qp = lines_[line].first;
    lines_[line].first = next_[qp];
    waiting_[qp] = 0;
    return qp;
  }
  /// Removes the first queue pair so that it can send. first() returns kNone until answered() is called.
  std::uint32_t call(std::uint32_t line) { return lines_[line].called = pop(line); }
  /// Reports that `qp`, which call() returned, was served.
  void answered(std::uint32_t qp) {
    if (line_of(qp) == kNone) return;
    Line& line = lines_[line_of_[qp]];
    if (line.called == qp) line.called = kNone;
  }

  /// Memory in bytes.
  std::size_t memory() const {
    return line_of_.size() * (sizeof line_of_[0] + sizeof next_[0] + sizeof waiting_[0]);
  }

 private:
  struct Line {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
    std::uint32_t called = kNone;
  };

  std::vector<Line> lines_;
  std::pmr::vector<std::uint32_t> line_of_;
  std::pmr::vector<std::uint32_t> next_;
  std::pmr::vector<std::uint8_t> waiting_;
};

}  // namespace softfeb::engine
