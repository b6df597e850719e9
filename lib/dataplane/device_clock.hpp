// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "base/uint128.hpp"

#include <cstdint>

namespace softfeb::dataplane {

/// Our time to ticks of a device's clock: a straight line, by one multiplication. What is handed to workers.
struct ClockMap {
  Time origin = 0;
  std::uint64_t ticks = 0;  ///< at `origin`
  std::uint64_t slope = 0;  ///< 2^-64 ticks a picosecond

  std::uint64_t at(Time t) const {
    if (t >= origin) return ticks + static_cast<std::uint64_t>(Uint128{t - origin} * slope >> 64);
    return ticks - static_cast<std::uint64_t>(Uint128{origin - t} * slope >> 64);
  }
};

/// A moment on both clocks.
struct ClockSample {
  Time time = 0;
  std::uint64_t ticks = 0;
};

/// The two clocks drift apart: the line goes through the newest sample, with the slope of the last ten
/// seconds or so. The error of a prediction is that of two readings as long as it looks no further ahead than
/// the samples reach back.
class DeviceClock {
 public:
  static constexpr Time kMemory = 8 * kSecond;

  /// Samples come in the order of their times; one at the time of the last, or with ticks that do not go on,
  /// changes nothing.
  void add(const ClockSample& sample);
  /// Two samples are there.
  bool ready() const { return map_.slope != 0; }
  const ClockMap& map() const { return map_; }
  /// By how much the newest sample was off from what was predicted, a time.
  Time correction() const { return correction_; }

 private:
  ClockSample first_, middle_, last_;
  ClockMap map_;
  Time correction_ = 0;
  bool any_ = false;
};

}  // namespace softfeb::dataplane
