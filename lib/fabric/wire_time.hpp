// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "roce/path.hpp"

#include <algorithm>
#include <cstdint>

namespace softfeb::fabric {

/// What a frame of `length` bytes (without FCS) takes on the wire: the shortest one is 64 bytes with its FCS.
constexpr std::uint64_t wire_bytes(std::uint32_t length) {
  return std::max<std::uint64_t>(std::uint64_t{length} + 4, 64) + roce::kWireOverhead - 4;
}

/// Times of bytes at a rate, without the error adding up: what is less than a picosecond is carried over.
class WireTime {
 public:
  /// `rate` in bytes per second, 1 … 10^12.
  explicit WireTime(std::uint64_t rate) : rate_(rate), exact_(kSecond % rate == 0 ? kSecond / rate : 0) {}

  /// How long the next `bytes` (up to 2^23) take.
  Time next(std::uint64_t bytes) {
    if (exact_ != 0) return bytes * exact_;
    const std::uint64_t total = bytes * kSecond + remainder_;
    remainder_ = total % rate_;
    return total / rate_;
  }

 private:
  std::uint64_t rate_;
  Time exact_;  ///< of one byte, where that is a whole number; else 0
  std::uint64_t remainder_ = 0;
};

}  // namespace softfeb::fabric
