// SPDX-License-Identifier: BSD-3-Clause
#include "board/metadata_codec.hpp"

#include "base/rng.hpp"
#include "support/metadata_bits.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::board;
using softfeb::test::to_hex;

namespace {

template <typename Bits>
Bits random_bits(Rng& rng) {
  std::array<std::uint8_t, Bits::kBytes> bytes;
  for (auto& b : bytes) b = static_cast<std::uint8_t>(rng.next());
  return Bits(bytes);
}

}  // namespace

TEST_CASE("bit string: fields across bytes, least significant byte first", "[metadata]") {
  BitString<276> bits;
  CHECK(bits.bytes().size() == 36);
  bits.set(4, 64, 0x0123'4567'89ab'cdef);
  CHECK(bits.get(4, 64) == 0x0123'4567'89ab'cdef);
  CHECK(bits.bytes()[0] == 0xf0);
  CHECK(bits.bytes()[1] == 0xde);
  CHECK(bits.bytes()[8] == 0x00);
  bits.set(8, 4, 0xff5);  // only the four least significant bits are used
  CHECK(bits.bytes()[1] == 0xd5);
  bits.set(275, 1, 1);
  CHECK(bits.bytes()[34] == 0x08);
}

TEST_CASE("bit string: bits beyond its end are ignored", "[metadata]") {
  std::array<std::uint8_t, 40> ones;
  ones.fill(0xff);
  const MetadataRequestBits bits(ones);
  CHECK(bits.bytes()[37] == 0x7f);
  CHECK(bits.bytes()[38] == 0);
  CHECK(bits.bytes()[39] == 0);
}

TEST_CASE("metadata codec: decoded messages encode to the same fields", "[metadata]") {
  Rng rng(7);
  std::array<int, 4> seen{};
  for (int i = 0; i < 4000; ++i) {
    const auto bits = random_bits<MetadataRequestBits>(rng);
    ++seen[bits.get(301, 2)];
    const auto request = decode_request(bits);
    REQUIRE(request.has_value() == (bits.get(301, 2) != 3));
    if (!request) continue;
    const auto again = encode_request(*request);
    REQUIRE(decode_request(again) == request);
    // A QP request has no unused bits, so decoding and encoding must preserve all bits.
    if (request->index() == 2) REQUIRE(to_hex(again) == to_hex(bits));
  }
  for (const int n : seen) CHECK(n > 500);
}

TEST_CASE("metadata codec: responses", "[metadata]") {
  Rng rng(8);
  for (int i = 0; i < 4000; ++i) {
    const auto bits = random_bits<MetadataResponseBits>(rng);
    const auto response = decode_response(bits);
    REQUIRE(response.has_value() == (bits.get(274, 2) != 3));
    if (!response) continue;
    REQUIRE(decode_response(encode_response(*response)) == response);
    if (response->index() == 2) REQUIRE(to_hex(encode_response(*response)) == to_hex(bits));
  }
}
