// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "base/uint128.hpp"

#include <cstdint>

namespace softfeb::engine {

/// How long so many units take at a constant rate, to the picosecond: what a division leaves is carried into
/// the next one, so that sums are exact whatever the rate.
///
/// Most packets of a queue pair have one size, and it is the largest. Quotient and remainder of the largest
/// number of units seen are kept: for it a division becomes an addition, with the same result
/// (u·10^12 + r = q·rate + (s + r) with s, r < rate, so the quotient is q or q + 1).
class Spacing {
 public:
  /// `rate` in units per second, 1…2^63.
  explicit Spacing(std::uint64_t rate) : rate_(rate) {}

  std::uint64_t rate() const { return rate_; }
  /// Nothing is carried any more.
  void restart() { carried_ = 0; }

  /// Of the next `units`. Requires a rate.
  Time next(std::uint64_t units) {
    if (units != usual_) return divide(units);
    carried_ += usual_rest_;
    if (carried_ < rate_) return usual_time_;
    carried_ -= rate_;
    return usual_time_ + 1;
  }

 private:
  Time divide(std::uint64_t units) {
    if (units > usual_) {
      const Uint128 alone = Uint128{units} * kSecond;
      usual_ = units;
      usual_time_ = static_cast<Time>(alone / rate_);
      usual_rest_ = static_cast<std::uint64_t>(alone % rate_);
      return next(units);
    }
    const Uint128 total = Uint128{units} * kSecond + carried_;
    carried_ = static_cast<std::uint64_t>(total % rate_);
    return static_cast<Time>(total / rate_);
  }

  std::uint64_t rate_;
  std::uint64_t carried_ = 0;  ///< of unit·ps / rate; below it
  std::uint64_t usual_ = 0;
  Time usual_time_ = 0;
  std::uint64_t usual_rest_ = 0;
};

}  // namespace softfeb::engine
