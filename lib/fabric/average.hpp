// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/uint128.hpp"

#include <algorithm>
#include <cstdint>

namespace softfeb::fabric {

/// Average length of a queue: an exponentially weighted moving average (Floyd and Jacobson 1993). Each
/// arrival moves the average towards the current length by 1/2^N of the difference. Uses integers only. If
/// the length is constant, the average converges to exactly this length.
class AverageLength {
 public:
  static constexpr unsigned kMaxWeight = 15;  ///< largest N

  /// Updates the average for the arrival of a packet that finds `queued` bytes in the queue. `weight` is N,
  /// which must not change.
  void arrive(std::uint64_t queued, unsigned weight) {
    // The stored length is limited to 32 bits, like the thresholds to which the average is compared.
    scaled_ += std::min<std::uint64_t>(queued, UINT32_MAX) - (scaled_ >> weight);
  }

  /// Has the effect of `count` arrivals at an empty queue: multiplies the average by (1 − 1/2^N)^count.
  void idle(std::uint64_t count, unsigned weight) {
    constexpr unsigned kOneBits = 32;  // factors are in units of 2^-32
    std::uint64_t factor = (std::uint64_t{1} << kOneBits) - (std::uint64_t{1} << (kOneBits - weight));
    for (; count != 0 && scaled_ != 0; count >>= 1) {
      if ((count & 1) != 0) scaled_ = static_cast<std::uint64_t>(Uint128{scaled_} * factor >> kOneBits);
      factor = static_cast<std::uint64_t>(Uint128{factor} * factor >> kOneBits);
    }
  }

  std::uint64_t bytes(unsigned weight) const { return scaled_ >> weight; }

 private:
  std::uint64_t scaled_ = 0;  ///< average times 2^N
};

}  // namespace softfeb::fabric
