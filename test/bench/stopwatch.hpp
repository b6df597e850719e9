// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/send_qp.hpp"

#include <cstdint>
#include <deque>
#include <vector>

namespace softfeb::bench {

/// Measures the messages of a queue pair: when each was posted, and how long it took.
class Stopwatch {
 public:
  explicit Stopwatch(const engine::SendQp& qp) : qp_(qp) {}

  /// Call after an iteration that began at `now`; `end` returns the time after it.
  template <typename End>
  void look(Time now, End&& end) {
    for (; posted_ < qp_.messages_made(); ++posted_) begun_.push_back(now);
    if (qp_.counters().completions == completed_) return;
    const Time at = end();
    for (; completed_ < qp_.counters().completions; ++completed_) {
      us_.push_back(to_seconds(at - begun_.front()) * 1e6);
      begun_.pop_front();
    }
  }
  const std::vector<double>& microseconds() const { return us_; }

 private:
  const engine::SendQp& qp_;
  std::deque<Time> begun_;
  std::uint64_t posted_ = 0;
  std::uint64_t completed_ = 0;
  std::vector<double> us_;
};

}  // namespace softfeb::bench
