// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace softfeb::congestion {

/// Spaces packets at a rate that changes: a packet of n bytes keeps the next one back for n / rate. Time that
/// has not been used is lost, except for a delay of up to kCatchUp, which a real-time loop cannot avoid.
/// Departures are exact to the picosecond and do not drift.
class RatePacer {
 public:
  static constexpr Time kCatchUp = 2 * kMicrosecond;

  /// Bytes per second; at least 1.
  explicit RatePacer(double rate) : rate_(rate) {}

  /// The next packet may leave at `now`.
  void start(Time now) {
    free_at_ = now;
    fraction_ = 0;
  }
  /// A waiting packet leaves as much earlier or later as the new rate demands.
  void set_rate(double rate, Time now) {
    if (rate != rate_ && free_at_ > now) wait_from(now, static_cast<double>(free_at_ - now) * (rate_ / rate));
    rate_ = rate;
  }
  void sent(std::uint32_t bytes, Time now) {
    const Time earliest = now > kCatchUp ? now - kCatchUp : 0;
    wait_from(std::max(free_at_, earliest), bytes * static_cast<double>(kSecond) / rate_);
  }

  double rate() const { return rate_; }
  /// Time at which the next packet may leave, rounded up.
  Time departure() const { return fraction_ > 0 ? saturating_add(free_at_, 1) : free_at_; }

 private:
  void wait_from(Time from, double wait) {
    wait = std::min(wait + fraction_, 1e18);  // 11 days, which no sensible rate reaches
    const double whole = std::floor(wait);
    fraction_ = wait - whole;
    free_at_ = saturating_add(from, static_cast<Time>(whole));
  }

  double rate_;
  double fraction_ = 0;  ///< of a picosecond, in addition to free_at_
  Time free_at_ = 0;
};

}  // namespace softfeb::congestion
