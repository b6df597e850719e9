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

/// Builds packets as for a port with multi-segment support: their payload stays in the arena.
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

std::vector<std::vector<std::uint8_t>> run(FaultInjector& injector, const std::vector<rte_mbuf*>& in,
                                           Time now = 0) {
  std::vector<rte_mbuf*> out(FaultInjector::room_for(in.size()));
  out.resize(injector.apply(in, out, now));
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
    // The injector has changed a copy, not the payload in the arena.
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
      CHECK(parsed.kind == roce::FrameKind::kUdp);  // otherwise, the IPv4 checksum would be wrong
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
    REQUIRE(out.size() == 2);  // the injector still holds the third packet
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

namespace {

/// Returns a rule that applies `action` to PSN `psn` of the queue pair to which roce_frame() sends.
faults::FaultRule fault_rule(roce::Psn psn, const faults::FaultAction& action) {
  faults::FaultRule rule;
  rule.on.psn = faults::PsnRange{false, psn, psn};
  rule.on.iteration = 1;
  rule.action = action;
  return rule;
}

faults::FaultRules fault_rules_for(const std::vector<faults::FaultRule>& rules) {
  faults::FaultQp qp{*roce::IpAddress::parse("10.0.0.1"), *roce::IpAddress::parse("10.0.0.2"), 1, 0, {}};
  for (std::uint32_t r = 0; r < rules.size(); ++r) qp.rules.push_back(r);
  return {rules, {qp}};
}

std::vector<std::uint8_t> frame_of(roce::Psn psn) { return test::roce_frame({false, false, 300, 1, psn}); }

/// Passes packets with these PSNs through the injector, and returns the PSNs of the packets that leave it.
std::vector<roce::Psn> sent(Sender& sender, FaultInjector& injector, const std::vector<roce::Psn>& psns,
                            Time now = 0) {
  std::vector<rte_mbuf*> in;
  for (const roce::Psn psn : psns) in.push_back(sender.packet(frame_of(psn), kHeader));
  std::vector<roce::Psn> out;
  for (const auto& bytes : run(injector, in, now)) {
    REQUIRE(test::believable(bytes));
    out.push_back(faults::locate_roce(bytes)->psn);
  }
  return out;
}

}  // namespace

TEST_CASE("rules hold, repeat and drop packets", "[dataplane][faults]") {
  using faults::ActionKind;
  using List = std::vector<roce::Psn>;
  Sender sender;
  const auto injector = [&](const std::vector<faults::FaultRule>& rules,
                            const faults::HoldLimits& limits = {}) {
    return std::make_unique<FaultInjector>(FaultPlan(), 4300, 128, 1, sender.pools, roce::kCongestionUdpPort,
                                           fault_rules_for(rules), limits);
  };
  SECTION("reorder") {
    const auto f = injector({fault_rule(1, {.kind = ActionKind::kReorder, .value = 2})});
    CHECK(sent(sender, *f, {0, 1, 2, 3, 4}) == List{0, 2, 3, 1, 4});
    CHECK(f->next_release() == kNever);
  }
  SECTION("a reordered packet that nothing follows leaves after the longest hold") {
    const auto f = injector({fault_rule(1, {.kind = ActionKind::kReorder, .value = 2})}, {4, 100});
    CHECK(sent(sender, *f, {0, 1}, 10) == List{0});
    CHECK(f->next_release() == 110);
    CHECK(sent(sender, *f, {}, 109).empty());
    CHECK(sent(sender, *f, {}, 110) == List{1});
    CHECK(f->rule_counters()[0].hits == 1);
  }
  SECTION("delay, and a full store") {
    const faults::FaultAction delay{.kind = ActionKind::kDelay, .delay = 50};
    const auto f = injector({fault_rule(0, delay), fault_rule(1, delay)}, {1, 100});
    CHECK(sent(sender, *f, {0, 1, 2}) == List{1, 2});
    CHECK(f->next_release() == 50);
    CHECK(sent(sender, *f, {3}, 50) == List{0, 3});
    CHECK(f->rule_counters()[0].hits == 1);
    CHECK((f->rule_counters()[1].hits == 0 && f->rule_counters()[1].refused == 1));
  }
  SECTION("duplicate, drop and replay") {
    const auto f = injector({fault_rule(1, {.kind = ActionKind::kDuplicate, .value = 2}),
                             fault_rule(2, {.kind = ActionKind::kDrop}),
                             fault_rule(3, {.kind = ActionKind::kReplay, .old = {false, 0, 0}}),
                             fault_rule(4, {.kind = ActionKind::kReplay, .old = {false, 9, 9}})});
    CHECK(sent(sender, *f, {0, 1, 2, 3, 4}) == List{0, 1, 1, 1, 3, 0, 4});
    CHECK(f->rule_counters()[2].hits == 1);
    CHECK(f->rule_counters()[3].refused == 1);
  }
  SECTION("packets in the store are freed with it") {
    const auto f = injector({fault_rule(0, {.kind = ActionKind::kDelay, .delay = 50}),
                             fault_rule(9, {.kind = ActionKind::kReplay, .old = {false, 0, 0}})});
    CHECK(sent(sender, *f, {0}).empty());
  }
}

TEST_CASE("rules change a copy of the packet", "[dataplane][faults]") {
  Sender sender;
  const faults::FaultAction flip{.kind = faults::ActionKind::kCorrupt,
                                 .target = faults::CorruptTarget::kPayload,
                                 .offset = 3,
                                 .mask = 1,
                                 .right_icrc = true};
  FaultInjector injector(
      FaultPlan(), 4300, 128, 1, sender.pools, roce::kCongestionUdpPort,
      fault_rules_for(
          {fault_rule(5, flip), fault_rule(6, {.kind = faults::ActionKind::kTruncate, .value = 4})}));
  const auto bytes = frame_of(5);
  const auto out = run(injector, {sender.packet(bytes, kHeader)});
  REQUIRE(out.size() == 1);
  CHECK(out[0][kHeader + 3] == (bytes[kHeader + 3] ^ 1));
  CHECK(test::believable(out[0]));
  CHECK(std::equal(bytes.begin() + kHeader, bytes.end() - 4, sender.arena.bytes().begin()));
  const auto cut = run(injector, {sender.packet(frame_of(6), kHeader)});
  REQUIRE(cut.size() == 1);
  CHECK(cut[0].size() == frame_of(6).size() - 4);
}
