// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "control_capture.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace softfeb::test {

/// Returns the bits of the word at `address`, read as `captured`, that may differ on another server.
using FreeBits = std::function<std::uint32_t(std::uint32_t address, std::uint32_t captured)>;

/// Checks (Catch2) SRPv3 responses against captured ones, one by one. These may differ:
/// * in the data of reads, the bits given by `free`;
/// * in the packetizer's packets, padding (Rogue sends leftovers of other buffers) and therefore the CRC,
///   which is valid in both.
/// Headers, sizes, echoed data, status words, packet boundaries and other fields of the packets must be
/// equal.
void check_answers(const std::vector<CapturedMessage>& captured, const std::vector<CapturedMessage>& ours,
                   const FreeBits& free);

}  // namespace softfeb::test
