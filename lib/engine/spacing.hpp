// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "base/uint128.hpp"

#include <cstdint>

namespace softfeb::engine {

/// Duration of a number of units at a constant rate, in picoseconds. The remainder of each division is
/// carried over to the next one, so that sums are exact at any rate. A rate is a number of units per
/// interval, because some rates, such as one message per 20.97152 ms, are not a whole number of units per
/// second.
///
/// Most packets of a queue pair have the same size, which is also the largest. For the largest number of
/// units seen, u, the quotient q and the remainder s of the division u·interval / rate are therefore cached.
/// For this size, an addition replaces the division. The result is the same: with the carried remainder r,
/// u·interval + r = q·rate + (s + r). Both s and r are less than `rate`, so the quotient is q or q + 1.
class Spacing {
 public:
  /// `rate` is the number of units per `interval`: 1…2^63, or 0 if next() is never called.
  explicit Spacing(std::uint64_t rate, Time interval = kSecond) : rate_(rate), interval_(interval) {}

  std::uint64_t rate() const { return rate_; }
  /// Clears the carried remainder.
  void restart() { carried_ = 0; }

  /// Duration of the next `units`. Requires rate() != 0.
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
      const Uint128 alone = Uint128{units} * interval_;
      usual_ = units;
      usual_time_ = static_cast<Time>(alone / rate_);
      usual_rest_ = static_cast<std::uint64_t>(alone % rate_);
      return next(units);
    }
    const Uint128 total = Uint128{units} * interval_ + carried_;
    carried_ = static_cast<std::uint64_t>(total % rate_);
    return static_cast<Time>(total / rate_);
  }

  std::uint64_t rate_;
  Time interval_;
  std::uint64_t carried_ = 0;  ///< remainder in unit·ps, less than the rate
  std::uint64_t usual_ = 0;
  Time usual_time_ = 0;
  std::uint64_t usual_rest_ = 0;
};

}  // namespace softfeb::engine
