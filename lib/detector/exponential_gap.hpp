// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstdint>

/// Exponentially distributed gaps of trigger sequences, computed with integers so that every machine
/// generates the same sequence.
namespace softfeb::detector {

/// −log₂(bits / 2^64), with 32 fractional bits, rounded up. `bits` must not be 0.
std::uint64_t minus_log2(std::uint64_t bits);

/// −ln(bits / 2^64), with 32 fractional bits; `bits` = 0 counts as 1. The result is at most 44.4 · 2^32.
std::uint64_t minus_ln(std::uint64_t bits);

/// Exponentially distributed gap for 64 uniform bits: max(1, ⌊mean · minus_ln(bits) / 2^32⌋). `mean` must be
/// below 2^58 (80 hours), so that the result fits in 64 bits.
Time exponential_gap(std::uint64_t bits, Time mean);

}  // namespace softfeb::detector
