// SPDX-License-Identifier: BSD-3-Clause
#include "roce/mac_control.hpp"

#include "base/rng.hpp"
#include "roce/frame.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;

namespace {

constexpr MacAddress kSwitch{2, 0, 0, 0, 0, 9};
const MacControl kPause{MacControl::Kind::kPause, 0, {0x1234}};
const MacControl kPfc{MacControl::Kind::kPfc, 0b0000'1001, {1, 2, 3, 0xffff, 5, 6, 7, 8}};

std::vector<std::uint8_t> bytes(const MacControl& c) {
  const auto f = write_mac_control(kSwitch, kPauseAddress, c);
  return {f.begin(), f.end()};
}

}  // namespace

TEST_CASE("pause frames match IEEE 802.3 Annexes 31B and 31D", "[mac_control]") {
  const auto pause = bytes(kPause);
  CHECK(std::vector<std::uint8_t>(pause.begin(), pause.begin() + 19) ==
        std::vector<std::uint8_t>{1, 0x80, 0xc2, 0, 0, 1, 2, 0, 0, 0, 0, 9, 0x88, 8, 0, 1, 0x12, 0x34, 0});
  const auto pfc = bytes(kPfc);
  CHECK(std::vector<std::uint8_t>(pfc.begin() + 12, pfc.begin() + 26) ==
        std::vector<std::uint8_t>{0x88, 8, 1, 1, 0, 9, 0, 1, 0, 2, 0, 3, 0xff, 0xff});
  for (const MacControl& c : {kPause, kPfc}) {
    const auto f = bytes(c);
    const ParsedFrame p = parse_frame(ByteSpan(f));
    CHECK(p.kind == FrameKind::kMacControl);
    CHECK(p.dest_mac == kPauseAddress);
    CHECK(p.source_mac == kSwitch);
    CHECK(parse_mac_control(p.content) == c);
  }
}

TEST_CASE("every truncation of a pause frame within its fields is refused", "[mac_control]") {
  for (const MacControl& c : {kPause, kPfc}) {
    const auto whole = bytes(c);
    const std::size_t needed = c.kind == MacControl::Kind::kPause ? 18 : 34;
    for (std::size_t n = 0; n < whole.size(); ++n) {
      const std::vector<std::uint8_t> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n));
      const FrameKind kind = parse_frame(ByteSpan(cut)).kind;
      CHECK(kind == (n < needed ? FrameKind::kMalformed : FrameKind::kMacControl));
    }
  }
}

TEST_CASE("other opcodes, and a tag before the EtherType, are ignored", "[mac_control]") {
  auto f = bytes(kPause);
  store_be16(&f[14], 0x0002);  // opcode of GATE (Clause 64)
  CHECK(parse_frame(ByteSpan(f)).kind == FrameKind::kOther);
  f = bytes(kPause);
  const std::vector<std::uint8_t> tag{0x81, 0, 0, 5};
  f.insert(f.begin() + 12, tag.begin(), tag.end());
  CHECK(parse_frame(ByteSpan(f)).kind == FrameKind::kOther);
}

TEST_CASE("quanta are 512 bit times of the link", "[mac_control]") {
  CHECK(pause_time(1, 1'250'000'000) == 51'200);
  CHECK(pause_time(0xffff, 1'250'000'000) == Time{0xffff} * 51'200);
  CHECK(pause_time(0xffff, 12'500'000'000) == Time{0xffff} * 5'120);
  CHECK(pause_time(0, 1) == 0);
  CHECK(pause_time(0xffff, 1) == Time{0xffff} * 64 * kSecond);
}
