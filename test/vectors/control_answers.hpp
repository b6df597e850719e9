// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "control_capture.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace softfeb::test {

/// Returns a mask of the bits in which another server may return a different value for the word at `address`.
/// `captured` is the value of the word in the capture.
using FreeBits = std::function<std::uint32_t(std::uint32_t address, std::uint32_t captured)>;

/// Compares SRPv3 responses with captured responses, one by one, with Catch2 checks. The following may
/// differ:
/// - in the data of reads, the bits given by `free`;
/// - in the packetizer's packets, the padding and therefore the CRC, because Rogue's padding contains data
///   from other buffers.
///
/// Everything else must be equal: headers, sizes, echoed data, status words, packet boundaries and the
/// remaining fields of the packets. The CRCs of both sides must be valid.
void check_answers(const std::vector<CapturedMessage>& captured, const std::vector<CapturedMessage>& ours,
                   const FreeBits& free);

}  // namespace softfeb::test
