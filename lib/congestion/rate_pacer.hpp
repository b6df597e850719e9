// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace softfeb::congestion {

/// Spaces packets at a rate that may change. After a packet of n bytes, the next packet waits for n / rate. A
/// real-time loop cannot avoid delays of up to kCatchUp. If a packet leaves late, the following packets
/// therefore leave early, until they have made up for the delay, or for kCatchUp if the delay is longer.
/// Departures are exact to the picosecond and do not drift.
class RatePacer {
 public:
  static constexpr Time kCatchUp = 2 * kMicrosecond;

  /// `rate` is in bytes per second and at least 1.
  explicit RatePacer(double rate) : rate_(rate) {}

  /// Allows the next packet to leave at `now`.
  void start(Time now) {
    free_at_ = now;
    fraction_ = 0;
  }
  /// Changes the rate. The remaining wait of the next packet is scaled to the new rate.
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
    wait = std::min(wait + fraction_, 1e18);  // 11 days; longer than the wait at any sensible rate
    const double whole = std::floor(wait);
    fraction_ = wait - whole;
    free_at_ = saturating_add(from, static_cast<Time>(whole));
  }

  double rate_;
  double fraction_ = 0;  ///< fraction of a picosecond to add to free_at_
  Time free_at_ = 0;
};

}  // namespace softfeb::congestion
