// SPDX-License-Identifier: BSD-3-Clause
#include "roce/headers.hpp"

#include "base/rng.hpp"
#include "roce/opcode.hpp"
#include "roce/psn.hpp"

#include <array>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;

TEST_CASE("BTH survives encode and decode, every field", "[headers]") {
  Rng rng(1);
  for (int i = 0; i < 1000; ++i) {
    std::array<std::uint8_t, Bth::kSize> wire;
    for (auto& b : wire) b = static_cast<std::uint8_t>(rng.next());
    const Bth h = Bth::decode(wire).value();
    std::array<std::uint8_t, Bth::kSize> again;
    h.encode(again.data());
    // Thirteen reserved bits are sent as zeros.
    wire[4] &= 0xc0;
    wire[8] &= 0x80;
    CHECK(wire == again);
  }
}

TEST_CASE("headers shorter than their size are refused", "[headers]") {
  const std::array<std::uint8_t, 16> bytes{};
  for (std::size_t n = 0; n < 12; ++n) CHECK_FALSE(Bth::decode(ByteSpan(bytes).first(n)));
  for (std::size_t n = 0; n < 16; ++n) CHECK_FALSE(Reth::decode(ByteSpan(bytes).first(n)));
  for (std::size_t n = 0; n < 4; ++n) CHECK_FALSE(Aeth::decode(ByteSpan(bytes).first(n)));
  for (std::size_t n = 0; n < 4; ++n) CHECK_FALSE(ImmDt::decode(ByteSpan(bytes).first(n)));
}

TEST_CASE("every AETH syndrome has its kind", "[headers]") {
  for (unsigned s = 0; s < 256; ++s) {
    const AethKind kind = Aeth{static_cast<std::uint8_t>(s), 0}.kind();
    if (s < 0x20) {
      CHECK(kind == AethKind::kAck);
    } else if (s < 0x40) {
      CHECK(kind == AethKind::kRnrNak);
    } else if (s >= 0x60 && s <= 0x64) {
      CHECK(Aeth::nak(kind) == s);
    } else {
      CHECK(kind == AethKind::kReserved);
    }
  }
}

TEST_CASE("PSN arithmetic wraps at 24 bits", "[psn]") {
  CHECK(psn_add(0xffffff, 1) == 0);
  CHECK(psn_diff(0, 0xffffff) == 1);
  CHECK(psn_diff(0xffffff, 0) == -1);
  CHECK(psn_diff(0x800000, 0) == -0x800000);
  CHECK(psn_diff(0x7fffff, 0) == 0x7fffff);
}
