// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "control_capture.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace softfeb::test {

/// Returns the bits that may differ on another server in the word at `address`, whose captured value is
/// `captured`.
using FreeBits = std::function<std::uint32_t(std::uint32_t address, std::uint32_t captured)>;

/// Compares SRPv3 responses with captured ones, one by one, with Catch2 checks. The following may differ:
/// * in the data of reads, the bits given by `free`;
/// * in the packetizer's packets, the padding (Rogue's contains data from other buffers) and therefore the
///   CRC, which is valid in both. Headers, sizes, echoed data, status words, packet boundaries and other
///   fields of the packets must be equal.
void check_answers(const std::vector<CapturedMessage>& captured, const std::vector<CapturedMessage>& ours,
                   const FreeBits& free);

}  // namespace softfeb::test
