// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "srp/rate_limit.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace softfeb::srp {

/// Limits the rate of log lines: up to `burst` lines at once, then `per_second`. The number of suppressed
/// lines is reported before the next line that is printed.
class LimitedNotes {
 public:
  using Say = std::function<void(const std::string&)>;

  /// `what` is a plural noun for the lines; suppressed lines are reported as "12 more WHAT".
  LimitedNotes(Say say, std::string what, unsigned per_second, unsigned burst)
      : say_(std::move(say)), what_(std::move(what)), limit_(per_second, burst) {}

  void add(const std::string& line, Time now) {
    if (!limit_.take(now)) {
      ++held_back_;
      return;
    }
    flush();
    say_(line);
  }
  /// Reports the number of lines suppressed since the last report, if any.
  void flush() {
    if (const std::uint64_t n = std::exchange(held_back_, 0); n != 0)
      say_(std::to_string(n) + " more " + what_);
  }

 private:
  Say say_;
  std::string what_;
  RateLimit limit_;
  std::uint64_t held_back_ = 0;
};

}  // namespace softfeb::srp
