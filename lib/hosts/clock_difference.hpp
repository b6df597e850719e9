// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>

/// lib/hosts: what the hosts of one experiment must agree on. Contains the difference between their clocks
/// (clock_difference.hpp), the values that they have sent to each other (agreement.hpp), and the interface
/// through which they exchange messages (host_exchange.hpp). Sans-I/O.
namespace softfeb::hosts {

/// Bounds the difference between the clocks of this host and another host. This host sends messages, which
/// the other host answers immediately with the time on its clock (Cristian's algorithm, with the intersection
/// of all intervals). All times are in nanoseconds.
class ClockDifference {
 public:
  /// Adds a measurement. This host sent the message at `sent` and received the answer at `received`, by its
  /// own clock. The other host answered at `there`, by that host's clock.
  void add(std::int64_t sent, std::int64_t there, std::int64_t received) {
    const std::int64_t low = sent - there, high = received - there;
    low_ = low > low_ ? low : low_;
    high_ = high < high_ ? high : high_;
  }

  /// False if there are no answers, or if no difference agrees with all answers, because a clock was stepped
  /// between two answers.
  bool known() const {
    constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();
    return high_ != kUnknown && low_ <= high_;
  }
  /// Time by which the clock of this host is ahead of the clock of the other host; negative if this host's
  /// clock is behind. Requires known().
  std::int64_t offset() const { return low_ + (high_ - low_) / 2; }
  /// The true offset differs from offset() by at most this much.
  std::int64_t bound() const { return high_ - low_ - (high_ - low_) / 2; }

 private:
  std::int64_t low_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t high_ = std::numeric_limits<std::int64_t>::max();
};

/// A measured difference of clocks in nanoseconds.
struct ClockReading {
  bool known = false;
  std::int64_t offset_ns = 0;
  std::int64_t bound_ns = 0;

  ClockReading() = default;
  explicit ClockReading(const ClockDifference& d) : known(d.known()) {
    if (!known) return;
    offset_ns = d.offset();
    bound_ns = d.bound();
  }
  /// True if the difference is certainly larger than `limit_ns`.
  bool exceeds(std::int64_t limit_ns) const { return known && magnitude() - bound_ns > limit_ns; }
  /// True if the difference is certainly within `limit_ns`.
  bool within(std::int64_t limit_ns) const { return known && magnitude() + bound_ns <= limit_ns; }

 private:
  std::int64_t magnitude() const { return offset_ns < 0 ? -offset_ns : offset_ns; }
};

}  // namespace softfeb::hosts
