// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "base/uint128.hpp"

#include <cstdint>

namespace softfeb::dataplane {

/// Converts the time stamp counter to picoseconds and back, by one multiplication.
///
/// The clock is a straight line that may bend: set_frequency() announces another slope from a later counter
/// value on. Time is continuous and monotonic across the bend, and every copy that knows of it gives the same
/// time for the same counter value.
class TscClock {
 public:
  /// `hz`: the counter's frequency, 1 MHz … 1 THz. `origin`: the counter's value at time 0.
  explicit constexpr TscClock(std::uint64_t hz, std::uint64_t origin = 0)
      : before_(hz, origin, 0), line_(before_) {}

  /// Time at counter value `tsc`; 0 before the origin.
  constexpr Time time(std::uint64_t tsc) const {
    return tsc < line_.origin ? before_.time(tsc) : line_.time(tsc);
  }

  /// A counter value at which time() is `t` or, by less than two cycles, later.
  constexpr std::uint64_t tsc(Time t) const { return t < line_.start ? before_.tsc(t) : line_.tsc(t); }

  /// Takes the counter's frequency to be `hz` from counter value `from` on. `from` must not be less than that
  /// of the call before.
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
      // (high * 2^64 + low) * cycles >> kShift: the multiplier of a slow counter is wider than 64 bits.
      const Uint128 low = static_cast<Uint128>(static_cast<std::uint64_t>(multiplier)) * cycles;
      const Uint128 high = (multiplier >> 64) * cycles;
      return start + static_cast<Time>((low >> kShift) + (high << (64 - kShift)));
    }
    constexpr std::uint64_t tsc(Time t) const {
      if (t < start) return origin;
      const Uint128 product = static_cast<Uint128>(t - start) * hz;
      return origin + static_cast<std::uint64_t>((product + kSecond - 1) / kSecond);
    }

    std::uint64_t origin;  ///< counter value …
    Time start;            ///< … at this time
    std::uint64_t hz;
    Uint128 multiplier;  ///< 2^kShift picoseconds per cycle
  };

  Line before_;  ///< holds up to line_.origin
  Line line_;
};

}  // namespace softfeb::dataplane
