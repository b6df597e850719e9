// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "roce/path.hpp"

#include <algorithm>
#include <cstdint>

namespace softfeb::fabric {

/// Number of bytes that a frame of `length` bytes (without FCS) occupies on the wire. The minimum frame is 64
/// bytes including FCS.
constexpr std::uint64_t wire_bytes(std::uint32_t length) {
  return std::max<std::uint64_t>(std::uint64_t{length} + 4, 64) + roce::kWireOverhead - 4;
}

/// Computes transmission times at a given rate. Rounding errors do not accumulate, because fractions of a
/// picosecond are carried over.
class WireTime {
 public:
  /// `rate` in bytes per second, 1 … 10^12.
  explicit WireTime(std::uint64_t rate) : rate_(rate), exact_(kSecond % rate == 0 ? kSecond / rate : 0) {}

  /// Transmission time of the next `bytes` bytes; `bytes` is at most 2^23.
  Time next(std::uint64_t bytes) {
    if (exact_ != 0) return bytes * exact_;
    const std::uint64_t total = bytes * kSecond + remainder_;
    remainder_ = total % rate_;
    return total / rate_;
  }

  /// Like next(), but rounds down and does not carry the fraction over.
  Time about(std::uint64_t bytes) const { return exact_ != 0 ? bytes * exact_ : bytes * kSecond / rate_; }

 private:
  std::uint64_t rate_;
  Time exact_;  ///< time of one byte if it is a whole number of picoseconds, otherwise 0
  std::uint64_t remainder_ = 0;
};

}  // namespace softfeb::fabric
