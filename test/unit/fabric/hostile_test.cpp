// SPDX-License-Identifier: BSD-3-Clause
#include "base/rng.hpp"
#include "fabric_fixture.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::test;

namespace {

/// Returns a network of two switches with a small buffer, ECN marking, PFC, CNPs from switches, and random
/// faults on all links. Stations 2 and 3 have no configured address and may use any address.
NetworkConfig everything() {
  auto config = star(4);
  auto& sw = config.switches[0];
  sw.buffer = 12'000;
  sw.dynamic_alpha = 512;
  sw.trust_pcp = true;
  sw.pause = {8'000, 4'000, 3'000, 64};
  sw.forge = {1'000'000, 20 * kMicrosecond, 10 * kMicrosecond};
  for (std::size_t q = 0; q < fabric::kQueues; ++q)
    sw.queues[q] = {
        {true, 2'000, 6'000, std::uint64_t{1} << 31}, q % 2 == 1, static_cast<std::uint32_t>(q % 4)};
  config.switches.push_back(sw);
  config.links[1].b = config.links[3].b = switch_(1);
  auto uplink = config.links[0];
  uplink.a = switch_(0);
  uplink.b = switch_(1);
  config.links.push_back(uplink);
  config.stations[2].mac.reset();
  config.stations[3].mac.reset();
  const std::uint64_t some = 1U << 28;
  for (auto& link : config.links) {
    link.flow_control = fabric::PauseMode::kPfc;
    link.a_to_b = link.b_to_a = {some, some, some, some};
  }
  return config;
}

/// Returns the network of everything(), extended by cells, delays, cut-through, a watchdog and other
/// properties of real switches. Two links have no faults, so that frames cut through the switches there.
NetworkConfig real_switches(fabric::WatchdogConfig::Action action) {
  auto config = everything();
  for (auto& sw : config.switches) {
    sw.pause.xoff = 0;
    sw.pause.xoff_alpha = 128;
    sw.pause.xon_offset = 1'000;
    sw.pause.headroom_pool = 5'000;
    for (std::size_t q = 0; q < fabric::kQueues; ++q) {
      auto& queue = sw.queues[q];
      queue.ecn.at_dequeue = q % 2 == 0;
      queue.ecn.weight = static_cast<std::uint8_t>(q % 3);
      queue.ecn.drop_not_ect = true;
      queue.minimum = 500 * q;
    }
    sw.memory = {208, 10, 2'000};
    sw.times = {300 * kNanosecond, 2 * kMicrosecond, kMicrosecond, true};
    sw.watchdog = {5 * kMicrosecond, 20 * kMicrosecond, action};
  }
  config.switches[1].memory.mac_leak = 0;
  for (const std::size_t link : {0U, 4U}) config.links[link].a_to_b = config.links[link].b_to_a = {};
  return config;
}

/// Gives every link rules with all actions, for the queue pairs of hostile_bytes() in both directions.
void add_rules(NetworkConfig& config) {
  using faults::ActionKind;
  fabric::LinkFaults rules;
  for (unsigned kind = 0; kind <= static_cast<unsigned>(ActionKind::kReplay); ++kind) {
    faults::FaultRule rule;
    rule.on.every = 3 + kind;
    rule.action = {
        .kind = static_cast<ActionKind>(kind), .value = 1 + kind, .delay = 3 * kMicrosecond, .mask = 1};
    if (rule.action.kind == ActionKind::kCorrupt) rule.action.target = faults::CorruptTarget::kByte;
    if (rule.action.kind == ActionKind::kTruncate) rule.action.value = 50;
    if (rule.action.kind == ActionKind::kReplay) rule.action.old = {false, 0, roce::kPsnMask};
    for (std::uint32_t offset : {0U, 5U, 12U, 17U, 30U}) {
      rule.action.offset = offset;
      rules.rules.push_back(rule);
      if (rule.action.kind != ActionKind::kCorrupt) break;
    }
    rule.on.direction = faults::Direction::kRx;
    rules.rules.push_back(rule);
  }
  for (std::uint32_t n = 0; n < 5 * 5 * 3 * 2 * 2; ++n) {
    DataFrame f{n % 5, n / 5 % 5};
    f.v6 = n / 150 % 2 != 0;
    const roce::Path path = path_of(f);
    faults::FaultQp qp{path.source_ip, path.dest_ip, n / 25 % 3, 0, {}};
    qp.direction = n / 75 % 2 == 0 ? faults::Direction::kTx : faults::Direction::kRx;
    for (std::uint32_t r = 0; r < rules.rules.size(); ++r) qp.rules.push_back(r);
    rules.qps.push_back(std::move(qp));
  }
  rules.hold = {16, 20 * kMicrosecond};
  for (auto& link : config.links) {
    for (fabric::LinkFaults* faults : {&link.a_to_b, &link.b_to_a}) {
      faults->rules = rules.rules;
      faults->qps = rules.qps;
      faults->hold = rules.hold;
    }
  }
}

std::vector<std::uint8_t> hostile_bytes(Rng& rng) {
  DataFrame f{static_cast<std::uint32_t>(rng.below(5)), static_cast<std::uint32_t>(rng.below(5))};
  f.payload = static_cast<std::uint32_t>(rng.below(3000));
  f.qpn = static_cast<roce::Qpn>(rng.below(3));
  f.dscp = static_cast<std::uint8_t>(rng.below(64));
  f.v6 = rng.chance(1U << 30);
  if (rng.chance(1U << 31)) f.vlan = roce::VlanTag{7, static_cast<std::uint8_t>(rng.below(8))};
  auto bytes = rng.chance(1U << 30) ? ack_bytes(f) : data_bytes(f);
  const std::size_t flips = rng.below(4);
  for (std::size_t i = 0; i < flips; ++i)
    bytes[rng.below(std::min<std::size_t>(bytes.size(), 80))] = static_cast<std::uint8_t>(rng.next());
  if (rng.chance(1U << 29)) store_be16(&bytes[12], 0x8808);
  if (rng.chance(1U << 29)) bytes.resize(rng.below(bytes.size()) + 1);
  return bytes;
}

/// Sends hostile frames and checks that every frame is accounted for.
void endure(Bench& b) {
  b.store.limit = 400;
  Rng rng(99);
  Time now = 0;
  for (int i = 0; i < 40'000; ++i) {
    const auto bytes = hostile_bytes(rng);
    if (b.store.out < b.store.limit) b.send(static_cast<std::uint32_t>(rng.below(4)), bytes, now);
    now += rng.below(kMicrosecond);
    b.run(now);
    b.arrivals.clear();
    if (i % 500 == 0) {
      REQUIRE(b.conserved(now));
      // With rules, the store also contains packets that rules keep for replays.
      if (b.snapshot.rules.empty()) REQUIRE(b.snapshot.totals.in_network == b.store.out);
    }
  }
  b.run(now + 10 * kSecond);
  CHECK(b.conserved(now));
  const auto& t = b.snapshot.totals;
  CHECK(t.in_network == 0);
  CHECK(b.network.next_event() == kNever);
  // Check that every case occurred.
  CAPTURE(t.made, t.duplicated, t.delivered, t.consumed, t.dropped_buffer, t.dropped_fault);
  for (const std::uint64_t n : {t.made, t.duplicated, t.delivered, t.consumed, t.dropped_buffer,
                                t.dropped_fault, t.dropped_unknown, t.corrupted, t.reordered})
    CHECK(n != 0);
}

}  // namespace

TEST_CASE("hostile frames: all are accounted for and returned") {
  Bench b(everything());
  endure(b);
  CHECK(b.store.out == 0);
}

TEST_CASE("hostile frames in models of real switches: all are accounted for and returned") {
  using Action = fabric::WatchdogConfig::Action;
  for (const auto action : {Action::kDrop, Action::kForward}) {
    Bench b(real_switches(action));
    endure(b);
    CHECK(b.store.out == 0);
    fabric::PortSnapshot sum;
    for (const auto& port : b.look(kSecond).ports) {
      CHECK(port.queue_bytes == 0);
      sum.pause_tx += port.pause_tx;
      sum.resume_tx += port.resume_tx;
      sum.ecn_dropped += port.ecn_dropped;
      sum.watchdog_storms += port.watchdog_storms;
      sum.watchdog_restored += port.watchdog_restored;
      sum.watchdog_dropped += port.watchdog_dropped;
      sum.watchdog_forwarded += port.watchdog_forwarded;
    }
    CAPTURE(sum.pause_tx, sum.resume_tx, sum.ecn_dropped, sum.watchdog_storms, sum.watchdog_dropped);
    CHECK(sum.pause_tx != 0);
    CHECK(sum.resume_tx != 0);
    CHECK(sum.ecn_dropped != 0);
    CHECK(sum.watchdog_storms != 0);
    CHECK(sum.watchdog_restored == sum.watchdog_storms);
    CHECK((action == Action::kDrop ? sum.watchdog_dropped : sum.watchdog_forwarded) != 0);
    CHECK((action == Action::kDrop ? sum.watchdog_forwarded : sum.watchdog_dropped) == 0);
  }
}

TEST_CASE("hostile frames on links with rules: all are accounted for and returned") {
  auto config = everything();
  add_rules(config);
  Bench b(config);
  endure(b);
  faults::RuleCounters sum;
  for (const faults::RuleCounters& rule : b.snapshot.rules) {
    sum.hits += rule.hits;
    sum.refused += rule.refused;
  }
  CHECK(sum.hits > 10'000);
  CHECK(sum.refused > 1000);
}

TEST_CASE("hostile frames with several paths, rate limits and port rules: all are accounted for") {
  auto config = everything();
  config.multipath.emplace();
  config.multipath->fields = 63;
  config.switches[1].multipath = fabric::MultipathConfig{fabric::MultipathConfig::Mode::kRandom};
  for (int i = 0; i < 2; ++i) config.links.push_back(config.links.back());
  for (auto& sw : config.switches) {
    sw.scheduler = {true, 8, 600'000'000, 1000};
    sw.queues[2].rates = {50'000'000, 100'000'000, 2000};
    sw.mtu = 2500;
    sw.routes = true;
    sw.times.cut_through = true;
  }
  config.links[1].vlans = {7, 9};
  config.links[2].untagged = false;
  config.links[2].vlans = {7};
  Bench b(config);
  endure(b);
  CHECK(b.store.out == 0);
  std::uint64_t oversize = 0, vlan = 0, expired = 0, chosen = 0;
  for (const fabric::PortSnapshot& p : b.snapshot.ports) {
    oversize += p.rx_oversize;
    vlan += p.vlan_dropped;
    expired += p.ttl_expired;
  }
  for (const fabric::NextHopSnapshot& hop : b.snapshot.next_hops) chosen += hop.packets;
  CAPTURE(oversize, vlan, expired, chosen);
  for (const std::uint64_t n : {oversize, vlan, expired, chosen}) CHECK(n != 0);
}

TEST_CASE("the queue of a station before a slow link is bounded") {
  auto config = star(2);
  config.links[0].rate = 1'000'000;
  Bench b(config);
  for (int i = 0; i < 6000; ++i) b.send({0, 1}, 0);
  CHECK(b.store.out <= (1U << 22) / 1082 + 2);
  CHECK(b.look(0).totals.dropped_buffer != 0);
  CHECK(b.conserved(0));
}
