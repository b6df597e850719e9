// SPDX-License-Identifier: BSD-3-Clause
#include "roce/response.hpp"

#include "base/rng.hpp"

#include <array>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;

namespace {

using Bytes = std::array<std::uint8_t, 48>;

void require_same(const Segments& content) {
  REQUIRE(parse_response(content) == response_of(parse_transport_with_icrc(content)));
}

/// Returns the BTH and AETH of an acknowledgement, with an invalid iCRC, which these tests do not check.
Bytes acknowledgement() {
  Bytes b{};
  Bth bth;
  bth.opcode = kOpcodeRcAck;
  bth.dest_qp = 0x123456;
  bth.psn = 0xabcdef;
  bth.encode(b.data());
  Aeth{Aeth::nak(AethKind::kNakRemoteAccess), 0x77}.encode(&b[Bth::kSize]);
  return b;
}

}  // namespace

TEST_CASE("Response: an acknowledgement in one piece", "[response]") {
  const Bytes b = acknowledgement();
  const ReceivedResponse r = parse_response(ByteSpan(b).first(20));
  REQUIRE(r.kind == TransportKind::kAcknowledge);
  REQUIRE(r.dest_qp == 0x123456);
  REQUIRE(r.psn == 0xabcdef);
  REQUIRE(r.aeth == Aeth{Aeth::nak(AethKind::kNakRemoteAccess), 0x77});
  REQUIRE(parse_response(ByteSpan(b).first(21)).kind == TransportKind::kMalformed);
}

TEST_CASE("Response: both parsers agree for every length, segmentation and opcode", "[response]") {
  Bytes b = acknowledgement();
  for (unsigned opcode = 0; opcode < 256; ++opcode) {
    b[0] = static_cast<std::uint8_t>(opcode);
    for (std::size_t size = 0; size <= b.size(); ++size) {
      const ByteSpan all = ByteSpan(b).first(size);
      require_same(all);
      for (std::size_t cut = 1; cut < size; cut += 3) {
        Segments two(all.first(cut));
        two.push(all.subspan(cut));
        require_same(two);
      }
    }
  }
}

TEST_CASE("Response: both parsers agree for random headers", "[response]") {
  Rng rng(7);
  for (int n = 0; n < 100'000; ++n) {
    Bytes b;
    for (auto& byte : b) byte = static_cast<std::uint8_t>(rng.below(256));
    b[0] = n % 2 == 0 ? kOpcodeRcAck : kOpcodeCnp;
    require_same(ByteSpan(b).first(n % 3 == 0 ? 20 : 16 + rng.below(33)));
  }
}
