// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "base/uint128.hpp"

#include <cstdint>

namespace softfeb::dataplane {

/// Cycles of the time stamp counter to picoseconds and back, by one multiplication: monotonic, and off by
/// less than 1 ps a day of what the frequency given says.
class TscClock {
 public:
  /// `hz` as rte_get_tsc_hz() measured it; `origin` is the counter's value at time 0. 1 MHz … 1 THz.
  explicit constexpr TscClock(std::uint64_t hz, std::uint64_t origin = 0)
      : origin_(origin),
        hz_(hz),
        multiplier_((static_cast<Uint128>(kSecond) * (Uint128{1} << kShift) + hz - 1) / hz) {}

  /// Time at counter value `tsc`; before the origin: 0.
  constexpr Time time(std::uint64_t tsc) const {
    if (tsc < origin_) return 0;
    const std::uint64_t cycles = tsc - origin_;
    // (high * 2^64 + low) * cycles >> kShift, the multiplier being wider than 64 bits for slow counters
    const Uint128 low = static_cast<Uint128>(static_cast<std::uint64_t>(multiplier_)) * cycles;
    const Uint128 high = (multiplier_ >> 64) * cycles;
    return static_cast<Time>((low >> kShift) + (high << (64 - kShift)));
  }

  /// A counter value at which time() is `t` or, by less than two cycles, later.
  constexpr std::uint64_t tsc(Time t) const {
    const Uint128 product = static_cast<Uint128>(t) * hz_;
    return origin_ + static_cast<std::uint64_t>((product + kSecond - 1) / kSecond);
  }

  constexpr std::uint64_t hz() const { return hz_; }

 private:
  static constexpr unsigned kShift = 60;
  std::uint64_t origin_;
  std::uint64_t hz_;
  Uint128 multiplier_;  ///< 2^kShift picoseconds per cycle
};

/// A clock of this machine's counter that begins now. After Eal.
TscClock start_clock();

}  // namespace softfeb::dataplane
