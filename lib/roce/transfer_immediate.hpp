// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace softfeb::roce {

/// Immediate of a segment of a registered transfer: op · 2^20 + (count − 1) · 2^10 + index.
struct TransferImmediate {
  static constexpr std::uint32_t kOps = 1U << 12;
  static constexpr std::uint32_t kMostSegments = 1U << 10;

  std::uint32_t op = 0;     ///< number of the transfer, modulo kOps
  std::uint32_t count = 1;  ///< number of segments of the transfer, 1 to kMostSegments
  std::uint32_t index = 0;  ///< number of the segment within its transfer

  constexpr std::uint32_t encode() const { return op % kOps << 20 | (count - 1) << 10 | index; }
  static constexpr TransferImmediate decode(std::uint32_t immediate) {
    return {immediate >> 20, (immediate >> 10 & 0x3ff) + 1, immediate & 0x3ff};
  }
  bool operator==(const TransferImmediate&) const = default;
};

}  // namespace softfeb::roce
