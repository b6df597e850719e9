// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace softfeb::roce {

/// Packet sequence number: 24 bits, with arithmetic modulo 2^24 (IBA, section 9.7.1).
using Psn = std::uint32_t;
/// Queue pair number: 24 bits.
using Qpn = std::uint32_t;

inline constexpr std::uint32_t kPsnMask = 0xff'ffff;

constexpr Psn psn_add(Psn a, std::uint32_t n) { return (a + n) & kPsnMask; }

/// Returns a − b as a signed distance in [−2^23, 2^23), negative if `a` is before `b`.
constexpr std::int32_t psn_diff(Psn a, Psn b) { return static_cast<std::int32_t>((a - b) << 8) >> 8; }

}  // namespace softfeb::roce
