// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/fault_injector.hpp"

#include "cch_frame.hpp"
#include "dataplane/arena.hpp"
#include "mbufs.hpp"
#include "roce_frame.hpp"

#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>
#include <rte_mbuf.h>

using namespace softfeb;
using namespace softfeb::dataplane;
using faults::FaultPlan;

namespace {

constexpr std::uint64_t kAlways = std::uint64_t{1} << 32;

/// Builds packets for a port with multi-segment support, whose payload is in the arena.
struct Sender {
  Mempools pools;
  Arena arena{1U << 16};
  TxBuilder builder;

  Sender() : builder(config(), &arena, pools) {}
  static TxBuilderConfig config() {
    TxBuilderConfig c;
    c.multi_segments = true;
    c.frame_bytes = 4300;
    c.descriptors = 128;
    c.held = 128;
    return c;
  }

  rte_mbuf* packet(const std::vector<std::uint8_t>& bytes, std::size_t header) {
    const MutableByteSpan payload = arena.bytes().first(bytes.size() - header - 4);
    std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(header), bytes.end() - 4, payload.begin());
    const ByteSpan all(bytes);
    rte_mbuf* const packet = test::built(builder, all.first(header), payload, all.last(4));
    REQUIRE(packet != nullptr);
    REQUIRE(packet->pkt_len == bytes.size());
    return packet;
  }
};

std::vector<std::vector<std::uint8_t>> run(FaultInjector& injector, const std::vector<rte_mbuf*>& in) {
  std::vector<rte_mbuf*> out(FaultInjector::room_for(in.size()));
  out.resize(injector.apply(in, out));
  std::vector<std::vector<std::uint8_t>> bytes;
  for (rte_mbuf* m : out) {
    rte_mbuf_sanity_check(m, 1);
    bytes.push_back(test::bytes_of(m));
    rte_pktmbuf_free(m);
  }
  return bytes;
}

constexpr std::size_t kHeader = 14 + 20 + 8 + 12 + 16;

}  // namespace

TEST_CASE("a corrupted packet is a copy with one bit flipped, and its receiver notices",
          "[dataplane][faults]") {
  Sender sender;
  const auto bytes = test::roce_frame({false, false, 1024});
  REQUIRE(test::believable(bytes));
  FaultInjector injector(FaultPlan(3, {0, kAlways, 0, 0, 0}), 4300, 128, 1, sender.pools);
  for (int i = 0; i < 2000; ++i) {
    const auto out = run(injector, {sender.packet(bytes, kHeader)});
    REQUIRE(out.size() == 1);
    REQUIRE(out[0].size() == bytes.size());
    int bits = 0;
    for (std::size_t b = 0; b < bytes.size(); ++b)
      bits += std::popcount(static_cast<unsigned>(out[0][b] ^ bytes[b]));
    REQUIRE(bits == 1);
    REQUIRE_FALSE(test::believable(out[0]));
    // The shared payload is unchanged.
    REQUIRE(std::equal(bytes.begin() + kHeader, bytes.end() - 4, sender.arena.bytes().begin()));
  }
  CHECK(injector.counters().corrupted == 2000);
  CHECK(injector.no_copy() == 0);
}

TEST_CASE("a marked packet has CE and valid checksums", "[dataplane][faults]") {
  Sender sender;
  FaultInjector injector(FaultPlan(3, {0, 0, 0, 0, kAlways}), 4300, 128, 1, sender.pools);
  for (const bool ipv6 : {false, true}) {
    for (const roce::Ecn ecn : {roce::Ecn::kEct0, roce::Ecn::kEct1}) {
      const auto bytes = test::roce_frame({ipv6, true, 512, 1, 2, ecn});
      const auto out = run(injector, {sender.packet(bytes, kHeader + 4 + (ipv6 ? 20 : 0))});
      REQUIRE(out.size() == 1);
      const auto parsed = roce::parse_frame(ByteSpan(out[0]));
      CHECK(parsed.kind == roce::FrameKind::kUdp);  // the IPv4 checksum was verified
      CHECK(parsed.congestion_experienced);
      CHECK(roce::icrc_matches(parsed));
    }
  }
  CHECK(injector.counters().marked_ce == 4);
  const auto plain = test::roce_frame({false, false, 512, 1, 2, roce::Ecn::kNotEct});
  CHECK(run(injector, {sender.packet(plain, kHeader)})[0] == plain);
  CHECK(injector.counters().marked_ce == 4);
}

TEST_CASE("packets are dropped, duplicated and reordered; none leaks", "[dataplane][faults]") {
  Sender sender;
  const auto frame = [](roce::Psn psn) { return test::roce_frame({false, false, 300, 1, psn}); };
  const auto packets = [&](roce::Psn n) {
    std::vector<rte_mbuf*> out;
    for (roce::Psn psn = 0; psn < n; ++psn) out.push_back(sender.packet(frame(psn), kHeader));
    return out;
  };
  SECTION("duplicate") {
    FaultInjector injector(FaultPlan(1, {0, 0, kAlways, 0, 0}), 4300, 128, 1, sender.pools);
    const auto out = run(injector, packets(2));
    REQUIRE(out.size() == 4);
    CHECK((out[0] == frame(0) && out[1] == frame(0) && out[2] == frame(1) && out[3] == frame(1)));
  }
  SECTION("reorder") {
    FaultInjector injector(FaultPlan(1, {0, 0, 0, kAlways, 0}), 4300, 128, 1, sender.pools);
    const auto out = run(injector, packets(3));
    REQUIRE(out.size() == 2);  // the third packet is held back
    CHECK((out[0] == frame(1) && out[1] == frame(0)));
    const auto rest = run(injector, {});
    REQUIRE(rest.size() == 1);
    CHECK(rest[0] == frame(2));
    CHECK(injector.counters().reordered == 2);
  }
  SECTION("drop behind a congestion control header, on the configured port only") {
    const auto cch = test::int_cch();
    const auto bytes = test::with_cch(frame(1), cch, 50'000);
    FaultInjector injector(FaultPlan(1, {kAlways, 0, 0, 0, 0}), 4300, 128, 1, sender.pools, 50'000);
    CHECK(run(injector, {sender.packet(bytes, kHeader + cch.size())}).empty());
    CHECK(injector.counters().dropped == 1);
    FaultInjector other(FaultPlan(1, {kAlways, 0, 0, 0, 0}), 4300, 128, 1, sender.pools);
    CHECK(run(other, {sender.packet(bytes, kHeader + cch.size())}).size() == 1);
  }
  SECTION("what is not RoCE passes") {
    FaultInjector injector(FaultPlan(1, {kAlways, 0, 0, 0, 0}), 4300, 128, 1, sender.pools);
    std::vector<std::uint8_t> arp(60, 0);
    store_be16(&arp[12], 0x0806);
    CHECK(run(injector, {sender.packet(arp, 40)}) == std::vector<std::vector<std::uint8_t>>{arp});
  }
}
