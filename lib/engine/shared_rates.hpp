// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

namespace softfeb::engine {

/// Queue pairs that share a rate (one congestion control for a board or an IP pair), and whose turn it is:
/// those that wait for credit stand in line, and only the first of a line is woken when there is some.
/// Otherwise all of them would wake for every packet, and the order in which they do decide who sends.
class SharedRates {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// For `qps` queue pairs, each in one line at most; 0 where none shares a rate.
  explicit SharedRates(std::size_t qps, std::pmr::memory_resource* memory = std::pmr::new_delete_resource())
      : line_of_(qps, kNone, memory), next_(qps, kNone, memory), waiting_(qps, 0, memory) {}

  /// Adds a line without members; its number.
  std::uint32_t add_line() {
    lines_.emplace_back();
    return static_cast<std::uint32_t>(lines_.size() - 1);
  }
  void join(std::uint32_t qp, std::uint32_t line) { line_of_[qp] = line; }
  /// kNone: a rate of its own.
  std::uint32_t line_of(std::uint32_t qp) const { return line_of_.empty() ? kNone : line_of_[qp]; }

  /// `qp` goes to the end of its line, unless it stands there already.
  void wait(std::uint32_t qp) {
    if (waiting_[qp] != 0) return;
    waiting_[qp] = 1;
    next_[qp] = kNone;
    Line& line = lines_[line_of_[qp]];
    (line.first == kNone ? line.first : next_[line.last]) = qp;
    line.last = qp;
  }
  /// Whose turn is next; kNone when nobody waits or somebody has been called and has not answered yet.
  std::uint32_t first(std::uint32_t line) const {
    return lines_[line].called == kNone ? lines_[line].first : kNone;
  }
  /// The first one leaves the line. Requires first(line) != kNone.
  std::uint32_t pop(std::uint32_t line) {
    const std::uint32_t qp = lines_[line].first;
    lines_[line].first = next_[qp];
    waiting_[qp] = 0;
    return qp;
  }
  /// The first one leaves the line to send; nobody else is called until answered().
  std::uint32_t call(std::uint32_t line) { return lines_[line].called = pop(line); }
  /// `qp` has had its turn.
  void answered(std::uint32_t qp) {
    if (line_of(qp) == kNone) return;
    Line& line = lines_[line_of_[qp]];
    if (line.called == qp) line.called = kNone;
  }

  /// Bytes that their places take.
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
