// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "filled_payload.hpp"
#include "roce/icrc.hpp"

#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

namespace softfeb::test {

/// Returns message n, assembled from its packets. Checks that the precomputed CRC of each packet equals the
/// CRC of its payload and padding.
inline std::vector<std::uint8_t> check_every_packet(const board::PayloadSource& source, std::uint64_t n,
                                                    std::uint32_t pmtu) {
  const board::MessageSlice message = source.plan().at(n);
  std::vector<std::uint8_t> whole;
  std::uint32_t sent = 0;
  do {
    const std::uint32_t length = std::min(pmtu, message.length - sent);
    const std::uint8_t* bytes = source.bytes(message.offset + sent, length);
    REQUIRE(bytes != nullptr);
    std::vector<std::uint8_t> padded(bytes, bytes + length);
    whole.insert(whole.end(), padded.begin(), padded.end());
    padded.resize((length + 3) / 4 * 4, 0);
    const auto prepared = source.crc(message.offset + sent, length);
    REQUIRE(prepared.has_value());
    REQUIRE(*prepared == roce::crc32(0, ByteSpan(padded)));
    sent += length;
  } while (sent < message.length);
  return whole;
}

}  // namespace softfeb::test
