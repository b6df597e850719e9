// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "base/uint128.hpp"

#include <cstdint>

namespace softfeb::board {

/// Measures the rate of a counter that is sampled occasionally. The rate is the mean between two samples that
/// are at least one second apart.
class RateMeter {
 public:
  /// Returns the rate per second; 0 during the first second and after a reset of the counter.
  std::uint64_t rate(std::uint64_t count, Time now) {
    if (!begun_ || count < count_) {
      begun_ = true;
      begin(count, now);
      rate_ = 0;
    } else if (now >= at_ + kSecond) {
      rate_ = static_cast<std::uint64_t>(static_cast<Uint128>(count - count_) * kSecond / (now - at_));
      begin(count, now);
    }
    return rate_;
  }

 private:
  void begin(std::uint64_t count, Time now) {
    count_ = count;
    at_ = now;
  }

  bool begun_ = false;
  std::uint64_t count_ = 0;
  Time at_ = 0;
  std::uint64_t rate_ = 0;
};

}  // namespace softfeb::board
