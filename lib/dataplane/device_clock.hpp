// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "base/uint128.hpp"

#include <cstdint>

namespace softfeb::dataplane {

/// Maps the time of softfeb's clock (TscClock) to ticks of a device's clock: a straight line, evaluated with
/// one multiplication. Passed to workers.
struct ClockMap {
  Time origin = 0;
  std::uint64_t ticks = 0;  ///< the device's clock at `origin`
  std::uint64_t slope = 0;  ///< slope of the line, in units of 2^-64 ticks per picosecond

  std::uint64_t at(Time t) const {
    if (t >= origin) return ticks + static_cast<std::uint64_t>(Uint128{t - origin} * slope >> 64);
    return ticks - static_cast<std::uint64_t>(Uint128{origin - t} * slope >> 64);
  }
};

/// A reading of both clocks at the same moment.
struct ClockSample {
  Time time = 0;
  std::uint64_t ticks = 0;
};

/// Tracks a device's clock, which drifts against softfeb's clock. map() is a straight line through the latest
/// sample. Its slope is measured over an interval of kMemory to 2 * kMemory (shorter at the start) that ends
/// with this sample. A prediction that looks no further ahead than the length of this interval is off by at
/// most the error of two readings.
class DeviceClock {
 public:
  static constexpr Time kMemory = 8 * kSecond;

  /// Adds a sample, in chronological order. A sample at the time of the previous one, or whose ticks have not
  /// advanced, is ignored.
  void add(const ClockSample& sample);
  /// True after two samples.
  bool ready() const { return map_.slope != 0; }
  const ClockMap& map() const { return map_; }
  /// Error of the prediction for the latest sample, converted to time.
  Time correction() const { return correction_; }

 private:
  ClockSample first_, middle_, last_;
  ClockMap map_;
  Time correction_ = 0;
  bool any_ = false;
};

}  // namespace softfeb::dataplane
