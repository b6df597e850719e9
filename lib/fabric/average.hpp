// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/uint128.hpp"

#include <algorithm>
#include <cstdint>

namespace softfeb::fabric {

/// Average length of a queue, as an exponentially weighted moving average (Floyd and Jacobson 1993): each
/// arrival changes it by 1/2^N of its difference to the present length. Integers only. The average converges
/// exactly to a constant length.
class AverageLength {
 public:
  static constexpr unsigned kMaxWeight = 15;  ///< largest N

  /// Takes a packet into account that finds `queued` bytes. `weight` is N, which must always be the same.
  void arrive(std::uint64_t queued, unsigned weight) {
    // Stored lengths are limited to 32 bits, like the thresholds with which they are compared.
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
