// SPDX-License-Identifier: BSD-3-Clause
// Tests the memory model with many packets and with long messages.
#include "conformance/memory_model.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::conformance;

namespace {

constexpr roce::Psn kFirstPsn = 0xff'fff0;

roce::Psn nth(std::uint32_t n) { return (kFirstPsn + n) & roce::kPsnMask; }

ScriptPacket write_at(std::uint64_t offset, std::uint32_t n, std::size_t size) {
  ScriptPacket packet;
  packet.spec.kind = PacketKind::kOnly;
  packet.psn = nth(n);
  packet.offset = offset;
  packet.payload.assign(size, static_cast<std::uint8_t>(n + 1));
  return packet;
}

}  // namespace

TEST_CASE("packets that are tolerated may be anywhere in a long range", "[memory]") {
  constexpr std::uint64_t kRegion = 1 << 20;
  constexpr std::size_t kPacket = 4096, kPackets = 40;
  MemoryModel model(kRegion);
  model.open(0, kFirstPsn);
  std::vector<std::uint8_t> memory(kRegion, kGuard);
  for (std::uint32_t n = 0; n < kPackets; ++n) {
    model.sent(write_at(n * kPacket, n, kPacket), 0, false);
    std::fill_n(memory.begin() + n * kPacket, kPacket, static_cast<std::uint8_t>(n + 1));
  }
  const auto differences = [&](const WrittenSpec& written) {
    std::vector<MemoryDifference> out;
    std::uint64_t end = 0;
    for (const MemoryModel::Range& r : model.ranges()) {
      CHECK(r.length <= MemoryModel::kMostRead);
      CHECK(r.offset == end);
      end = r.offset + r.length;
      const auto from = memory.begin() + static_cast<std::ptrdiff_t>(r.offset);
      model.compare(r, written, {from, from + static_cast<std::ptrdiff_t>(r.length)}, out);
    }
    CHECK(end > kPackets * kPacket);
    return out;
  };
  WrittenSpec written{.kind = WrittenSpec::Kind::kAll};
  CHECK(differences(written).empty());
  std::fill_n(memory.begin() + 30 * kPacket, kPacket, kGuard);  // as if the target had not written packet 31
  const auto found = differences(written);
  REQUIRE(found.size() == 1);
  CHECK(found[0].offset == 30 * kPacket);
  CHECK(found[0].text == "packet 31 is not in memory");
  written.tolerated = {31};
  CHECK(differences(written).empty());
}

TEST_CASE("ACKs of many packets, with PSNs that wrap and packets that are sent again", "[memory]") {
  constexpr std::uint32_t kPackets = 100'000, kRefused = 50'000;
  MemoryModel model(kPackets);
  model.open(0, kFirstPsn);
  std::vector<std::uint8_t> expected(kPackets, kGuard);
  for (std::uint32_t n = 0; n < kPackets; ++n) {
    model.sent(write_at(n, n, 1), 0, false);
    if (n >= kRefused) continue;
    model.acknowledged(0, nth(n));
    expected[n] = static_cast<std::uint8_t>(n + 1);
  }
  model.refused(0, nth(kRefused));
  // Acknowledges no further packets, because the packets from kRefused on were not sent again.
  model.acknowledged(0, nth(kPackets - 1));
  model.sent(write_at(kPackets - 1, kRefused, 1), 0, false);
  model.sent(write_at(kPackets - 2, kRefused + 2, 1), 0, false);  // does not have the next PSN
  model.acknowledged(0, nth(kRefused + 2));
  expected[kPackets - 1] = static_cast<std::uint8_t>(kRefused + 1);
  std::size_t wrong = 0;
  for (const MemoryModel::Range& r : model.ranges()) {
    std::vector<std::uint8_t> tolerated;
    const auto bytes = model.expected(r, {}, tolerated);
    for (std::size_t k = 0; k < bytes.size(); ++k) wrong += bytes[k] == expected[r.offset + k] ? 0U : 1U;
  }
  CHECK(wrong == 0);
}
