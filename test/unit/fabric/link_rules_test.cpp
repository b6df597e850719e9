// SPDX-License-Identifier: BSD-3-Clause
#include "base/rng.hpp"
#include "fabric_fixture.hpp"
#include "faults/location.hpp"
#include "roce/icrc.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::test;
using faults::ActionKind;
using faults::FaultAction;
using faults::FaultRule;

namespace {

constexpr std::uint32_t kPayload = 1024;
constexpr std::uint32_t kRuleFrame = 14 + 20 + 8 + 12 + kPayload + 4;
constexpr Time kWire = (kRuleFrame + 24) * kSecond / k10G;
/// Time from the first bit at a station until the last bit arrives at another station.
constexpr Time kTransit = 2 * (kWire + kDelay);

/// Returns a request of station 0 with this PSN.
std::vector<std::uint8_t> numbered_request(roce::Psn psn, roce::Qpn qpn = 17) {
  DataFrame f;
  f.payload = kPayload;
  f.qpn = qpn;
  auto bytes = data_bytes(f);
  store_be24(&bytes[14 + 20 + 8 + 9], psn);
  const ByteSpan datagram = ByteSpan(bytes).subspan(14, bytes.size() - 14 - 4);
  store_le32(&bytes[bytes.size() - 4], roce::icrc_of(Segments(datagram)));
  return bytes;
}

FaultRule link_rule(roce::Psn psn, const FaultAction& action) {
  FaultRule r;
  r.on.psn = faults::PsnRange{true, psn, psn};
  r.on.iteration = 1;
  r.action = action;
  return r;
}

/// Returns the rules for requests from station 0 to QPN 17 of station 1.
fabric::LinkFaults rules_of_link(const std::vector<FaultRule>& rules) {
  fabric::LinkFaults faults;
  faults.rules = rules;
  faults::FaultQp qp{*roce::IpAddress::parse("10.0.0.1"), *roce::IpAddress::parse("10.0.0.2"), 17, 0, {}};
  for (std::uint32_t r = 0; r < rules.size(); ++r) qp.rules.push_back(r);
  faults.qps = {qp};
  return faults;
}

/// Returns a network whose first link has these rules in the direction to the switch.
NetworkConfig ruled(const std::vector<FaultRule>& rules) {
  auto config = star(3);
  config.links[0].a_to_b = rules_of_link(rules);
  return config;
}

using PsnList = std::vector<roce::Psn>;

/// Sends requests 0 … n − 1 at intervals of 2 µs, and runs the network until nothing more happens.
Bench& load_ruled(Bench& b, roce::Psn n) {
  for (roce::Psn psn = 0; psn < n; ++psn) b.send(0, numbered_request(psn), psn * 2 * kMicrosecond);
  b.run(kSecond);
  REQUIRE(b.conserved(kSecond));
  return b;
}

PsnList psns_at_stations(const Bench& b) {
  PsnList out;
  for (const auto& a : b.arrivals) out.push_back(faults::locate_roce(a.bytes)->psn);
  return out;
}

Time arrival_of(const Bench& b, roce::Psn psn) {
  for (const auto& a : b.arrivals)
    if (faults::locate_roce(a.bytes)->psn == psn) return a.at;
  FAIL("the packet did not arrive");
  return 0;
}

FaultAction delay_action(Time by) { return {.kind = ActionKind::kDelay, .delay = by}; }

}  // namespace

TEST_CASE("link rules: a dropped frame occupies the link and is counted") {
  Bench b(ruled({link_rule(1, {.kind = ActionKind::kDrop})}));
  CHECK(psns_at_stations(load_ruled(b, 3)) == PsnList{0, 2});
  CHECK(b.look(kSecond).totals.dropped_fault == 1);
  CHECK(b.snapshot.flows[0].dropped == 1);
  REQUIRE(b.snapshot.rules.size() == 1);
  CHECK((b.snapshot.rules[0].hits == 1 && b.snapshot.rules[0].refused == 0));
  CHECK(arrival_of(b, 2) == 2 * 2 * kMicrosecond + kTransit);
  CHECK(b.store.out == 0);
}

TEST_CASE("link rules: a delay is exact") {
  Bench b(ruled({link_rule(1, delay_action(7'654'321)), link_rule(3, delay_action(kMicrosecond))}));
  load_ruled(b, 6);
  CHECK(arrival_of(b, 0) == kTransit);
  CHECK(arrival_of(b, 1) == 2 * kMicrosecond + kTransit + 7'654'321);
  CHECK(arrival_of(b, 2) == 4 * kMicrosecond + kTransit);
  CHECK(arrival_of(b, 3) == 6 * kMicrosecond + kTransit + kMicrosecond);
  CHECK(psns_at_stations(b) == PsnList{0, 2, 3, 4, 1, 5});
}

TEST_CASE("link rules: a held frame is in the network until it arrives") {
  Bench b(ruled({link_rule(0, delay_action(kMillisecond))}));
  b.send(0, numbered_request(0), 0);
  b.run(100 * kMicrosecond);
  CHECK(b.look(100 * kMicrosecond).totals.in_network == 1);
  CHECK(b.conserved(100 * kMicrosecond));
  CHECK(b.network.next_event() == kWire + kDelay + kMillisecond);
  b.run(kSecond);
  CHECK(b.arrivals.size() == 1);
}

TEST_CASE("link rules: a reordered frame arrives with the last one that overtakes it, or after max_hold") {
  auto config = ruled({link_rule(1, {.kind = ActionKind::kReorder, .value = 2}),
                       link_rule(5, {.kind = ActionKind::kReorder, .value = 9})});
  config.links[0].a_to_b.hold.longest = 100 * kMicrosecond;
  Bench b(config);
  load_ruled(b, 7);
  CHECK(psns_at_stations(b) == PsnList{0, 2, 3, 1, 4, 6, 5});
  // The reordered frame leaves the switch right after the last frame that overtakes it.
  CHECK(arrival_of(b, 1) == arrival_of(b, 3) + kWire);
  CHECK(arrival_of(b, 5) == 5 * 2 * kMicrosecond + kTransit + 100 * kMicrosecond);
}

TEST_CASE("link rules: copies and replays arrive with the frame") {
  Bench b(ruled({link_rule(1, {.kind = ActionKind::kDuplicate, .value = 2}),
                 link_rule(3, {.kind = ActionKind::kReplay, .old = {true, 0, 0}})}));
  CHECK(psns_at_stations(load_ruled(b, 5)) == PsnList{0, 1, 1, 1, 2, 3, 0, 4});
  CHECK(b.look(kSecond).totals.duplicated == 3);
  CHECK(b.snapshot.totals.in_network == 0);
  CHECK(b.store.out == 1);  // a copy of packet 0, kept for the replay
}

TEST_CASE("link rules: switches treat a frame as it is after the change") {
  auto config = ruled(
      {link_rule(0, {.kind = ActionKind::kSetDscp, .value = 0}), link_rule(1, {.kind = ActionKind::kMarkCe}),
       link_rule(
           2, {.kind = ActionKind::kCorrupt, .target = faults::CorruptTarget::kByte, .offset = 5, .mask = 3}),
       link_rule(3, {.kind = ActionKind::kTruncate, .value = kRuleFrame - 20})});
  config.switches[0].priorities = 8;
  config.switches[0].queues[3].ecn = {true, 0, 0};
  Bench b(config);
  load_ruled(b, 5);
  // The address of station n ends in n + 1. The corruption changes the destination of frame 2 from 2 to 1
  // (2 XOR 3), which is the address of the sender. No station receives this frame.
  CHECK(b.at_station(1).size() == 4);
  REQUIRE(b.at_station(2).empty());
  const auto& port = b.look(kSecond).ports[1];
  CHECK(port.queues[0].tx_packets == 2);  // the first packet, and the packet without an IP header
  CHECK(port.queues[3].tx_packets == 2);
  CHECK(port.ecn_marked == 1);  // the last packet; a rule had already marked the second packet
  CHECK(b.snapshot.totals.dropped_unknown == 1);
  const auto at1 = b.at_station(1);
  CHECK(std::any_of(at1.begin(), at1.end(), [](const auto& a) { return a.bytes.size() == 20; }));
}

TEST_CASE("link rules: a changed address leads elsewhere") {
  // The address of station 1 ends in 2, and the address of station 2 ends in 3.
  auto config = ruled({link_rule(
      1, {.kind = ActionKind::kCorrupt, .target = faults::CorruptTarget::kByte, .offset = 5, .mask = 1})});
  Bench b(config);
  load_ruled(b, 3);
  CHECK(b.at_station(1).size() == 2);
  CHECK(b.at_station(2).size() == 1);
}

TEST_CASE("link rules: a link carries requests of one station and responses to another") {
  auto config = star(2);
  FaultRule lost = link_rule(0, {.kind = ActionKind::kDrop});
  FaultRule answer = link_rule(5, {.kind = ActionKind::kDrop});
  answer.on.direction = faults::Direction::kRx;
  answer.on.response = faults::ResponseKind::kAck;
  fabric::LinkFaults& faults = config.links[0].a_to_b;
  faults.rules = {lost, answer};
  const auto a = *roce::IpAddress::parse("10.0.0.1"), z = *roce::IpAddress::parse("10.0.0.2");
  // The two queue pairs have the same addresses and the same QPN, in opposite directions.
  faults.qps = {{a, z, 17, 0, {0, 1}, faults::Direction::kTx}, {a, z, 17, 0, {0, 1}, faults::Direction::kRx}};
  Bench b(config);
  DataFrame f;
  b.send(0, numbered_request(0), 0);
  b.send(0, ack_bytes(f), 0);  // an ACK with PSN 5
  b.send(0, numbered_request(5), 0);
  b.run(kSecond);
  CHECK(psns_at_stations(b) == PsnList{5});
  CHECK((b.look(kSecond).rules[0].hits == 1 && b.snapshot.rules[1].hits == 1));
}

TEST_CASE("link rules: random faults act on the remaining frames, and do not move") {
  const auto lost = [](const std::vector<FaultRule>& rules) {
    auto config = ruled(rules);
    config.links[0].a_to_b.drop = std::uint64_t{1} << 29;
    config.seed = 5;
    Bench b(config);
    load_ruled(b, 200);
    PsnList missing;
    const PsnList got = psns_at_stations(b);
    for (roce::Psn psn = 0; psn < 200; ++psn)
      if (std::find(got.begin(), got.end(), psn) == got.end()) missing.push_back(psn);
    return missing;
  };
  PsnList without = lost({link_rule(300, {.kind = ActionKind::kDrop})});
  REQUIRE(without.size() > 10);
  REQUIRE(std::find(without.begin(), without.end(), 100) == without.end());
  const PsnList with_rule = lost({link_rule(100, {.kind = ActionKind::kDrop})});
  without.push_back(100);
  std::sort(without.begin(), without.end());
  CHECK(with_rule == without);
}

TEST_CASE("link rules: frames of other queue pairs and other protocols pass") {
  FaultRule all;
  all.action = {.kind = ActionKind::kDrop};
  Bench b(ruled({all}));
  b.send(0, numbered_request(0), 0);
  b.send(0, numbered_request(0, 18), 0);
  std::vector<std::uint8_t> arp(60, 0xff);
  store_be16(&arp[12], 0x0806);
  b.send(0, arp, 0);
  b.run(kSecond);
  CHECK(b.at_station(1).size() == 2);
  CHECK(b.at_station(2).size() == 1);
}

TEST_CASE("link rules: a full store refuses") {
  auto config = ruled({link_rule(0, delay_action(kMillisecond)), link_rule(1, delay_action(kMillisecond))});
  config.links[0].a_to_b.hold.packets = 1;
  Bench b(config);
  CHECK(psns_at_stations(load_ruled(b, 3)) == PsnList{1, 2, 0});
  CHECK((b.look(kSecond).rules[0].hits == 1 && b.snapshot.rules[1].refused == 1));
}

TEST_CASE("link rules: the network releases the frames that rules hold and keep") {
  TestStore store;
  {
    Network network(ruled({link_rule(0, delay_action(kMillisecond)),
                           link_rule(9, {.kind = ActionKind::kReplay, .old = {true, 0, 0}})}),
                    store);
    network.send(0, store.make(numbered_request(0)), 0);
    CHECK(store.out == 2);
  }
  CHECK(store.out == 0);
}
