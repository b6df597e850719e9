// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "control_capture.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace softfeb::test {

/// Bits of the word at `address`, read as `captured`, that another server may answer otherwise.
using FreeBits = std::function<std::uint32_t(std::uint32_t address, std::uint32_t captured)>;

/// Checks (Catch2) SRPv3 responses against captured ones, one by one. What may differ:
/// * in the data of reads, the bits that `free` names;
/// * in the packetizer's packets, padding (Rogue sends leftovers of other buffers) and with it the CRC, which
///   is right in both, or the packets would not have been taken.
/// Headers, sizes, echoed data, status words, the cut into packets and the packets' other fields are equal.
void check_answers(const std::vector<CapturedMessage>& captured, const std::vector<CapturedMessage>& ours,
                   const FreeBits& free);

}  // namespace softfeb::test
