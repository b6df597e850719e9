// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "base/uint128.hpp"

#include <cstdint>

namespace softfeb::dataplane {

/// Converts TSC values to picoseconds without a division, and picoseconds to TSC values.
///
/// The clock is a straight line whose slope may change: set_frequency() sets a new slope, which takes effect
/// at a later TSC value. Time is continuous and monotonic across the change. All copies to which the change
/// was applied return the same time for the same TSC value.
class TscClock {
 public:
  /// `hz` is the TSC frequency, 1 MHz … 1 THz. `origin` is the TSC value at time 0.
  explicit constexpr TscClock(std::uint64_t hz, std::uint64_t origin = 0)
      : before_(hz, origin, 0), line_(before_) {}

  /// Time at TSC value `tsc`; 0 before the origin.
  constexpr Time time(std::uint64_t tsc) const {
    return tsc < line_.origin ? before_.time(tsc) : line_.time(tsc);
  }

  /// Returns a TSC value at which time() is at least `t` and exceeds `t` by less than two cycles.
  constexpr std::uint64_t tsc(Time t) const { return t < line_.start ? before_.tsc(t) : line_.tsc(t); }

  /// Sets the TSC frequency to `hz`, starting at TSC value `from`. `from` must not be less than in the
  /// previous call.
  constexpr void set_frequency(std::uint64_t hz, std::uint64_t from) {
    before_ = line_;
    line_ = Line(hz, from, before_.time(from));
  }

  constexpr std::uint64_t hz() const { return line_.hz; }

 private:
  static constexpr unsigned kShift = 60;

  struct Line {
    constexpr Line(std::uint64_t frequency, std::uint64_t from, Time at)
        : origin(from),
          start(at),
          hz(frequency),
          multiplier((static_cast<Uint128>(kSecond) * (Uint128{1} << kShift) + frequency - 1) / frequency) {}

    constexpr Time time(std::uint64_t tsc) const {
      if (tsc < origin) return start;
      const std::uint64_t cycles = tsc - origin;
      // Split the multiplier into two 64-bit halves, because it exceeds 64 bits if the TSC is slow.
      const Uint128 low = static_cast<Uint128>(static_cast<std::uint64_t>(multiplier)) * cycles;
      const Uint128 high = (multiplier >> 64) * cycles;
      return start + static_cast<Time>((low >> kShift) + (high << (64 - kShift)));
    }
    constexpr std::uint64_t tsc(Time t) const {
      if (t < start) return origin;
      const Uint128 product = static_cast<Uint128>(t - start) * hz;
      return origin + static_cast<std::uint64_t>((product + kSecond - 1) / kSecond);
    }

    std::uint64_t origin;  ///< TSC value at the start of the line
    Time start;            ///< time at `origin`
    std::uint64_t hz;
    Uint128 multiplier;  ///< picoseconds per cycle, times 2^kShift
  };

  Line before_;  ///< the previous line; applies to TSC values below line_.origin
  Line line_;
};

}  // namespace softfeb::dataplane
