// SPDX-License-Identifier: BSD-3-Clause
// Tests that two slices of a network do exactly what the whole network does.
#include "fabric_fixture.hpp"

#include <stdexcept>
#include <tuple>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::test;

namespace {

constexpr std::uint64_t kTwentieth = (std::uint64_t{1} << 32) / 20;

/// Returns a network with stations 0 to 3 at switch 0 and stations 4 to 7 at switch 1. The link between the
/// switches has random faults.
NetworkConfig two_halves() {
  NetworkConfig config = star(8);
  config.seed = 3;
  config.switches.push_back(config.switches[0]);
  config.switches[1].name = "far";
  for (fabric::SwitchConfig& sw : config.switches) sw.queues[3].ecn = {true, 4'000, 20'000};
  for (std::uint32_t i = 4; i < 8; ++i) config.links[i].b = switch_(1);
  fabric::LinkConfig link;
  link.a = switch_(0);
  link.b = switch_(1);
  link.rate = k10G;
  link.delay = kMicrosecond;
  link.flow_control = fabric::PauseMode::kPause;
  link.a_to_b.drop = link.a_to_b.duplicate = link.a_to_b.corrupt = link.a_to_b.reorder = kTwentieth;
  link.b_to_a = link.a_to_b;
  config.links.push_back(link);
  return config;
}

struct Arrived {
  std::uint32_t station = 0;
  Time at = 0;
  std::vector<std::uint8_t> bytes;
  bool operator==(const Arrived&) const = default;
  bool operator<(const Arrived& other) const {
    return std::tie(at, station, bytes) < std::tie(other.at, other.station, other.bytes);
  }
};

/// A whole network, or slices of it that exchange frames.
struct Sliced {
  Sliced(const NetworkConfig& c, std::vector<fabric::Slice> s) : config(c), slices(std::move(s)) {
    for (const fabric::Slice& slice : slices)
      networks.push_back(std::make_unique<Network>(config, store, &slice));
    if (networks.empty()) networks.push_back(std::make_unique<Network>(config, store));
  }

  Network& network_of(std::uint32_t station) {
    for (std::size_t i = 0; i < slices.size(); ++i)
      if (slices[i].stations[station] != 0) return *networks[i];
    return *networks[0];
  }
  void run(Time until) {
    for (const auto& network : networks) {
      Network::Delivery out;
      while (network->run(until, {&out, 1}) == 1) {
        arrivals.push_back({out.station, out.at, TestStore::bytes(*out.frame)});
        store.release(out.frame);
      }
    }
    if (slices.empty()) return;
    for (std::size_t i = 0; i < networks.size(); ++i)
      while (const auto departure = networks[i]->depart()) {
        CHECK(departure->arrives > until);
        ++crossings;
        networks[1 - i]->enter(*departure);
      }
  }
  /// Sends frames: every microsecond, each station sends a frame to a station of the other switch.
  void load() {
    for (std::uint32_t i = 0; i < 400; ++i) {
      const Time now = i * kMicrosecond;
      run(now);
      for (std::uint32_t from = 0; from < 8; ++from) {
        if ((i * 7 + from) % 8 > 2) continue;
        DataFrame f;
        f.from = from;
        f.to = (from + 4 + i % 4) % 8;
        if (f.to / 4 == from / 4) f.to = (f.to + 4) % 8;
        f.qpn = i;
        network_of(from).send(from, store.make(data_bytes(f)), now);
      }
    }
    for (Time now = 400 * kMicrosecond; now < 2 * kMillisecond; now += kMicrosecond) run(now);
    std::sort(arrivals.begin(), arrivals.end());
  }
  fabric::NetworkSnapshot look() {
    fabric::NetworkSnapshot all = networks[0]->make_snapshot();
    fabric::NetworkSnapshot one = networks[0]->make_snapshot();
    if (slices.empty()) networks[0]->take_snapshot(all, kSecond);
    for (std::size_t i = 0; i < slices.size(); ++i) {
      networks[i]->take_snapshot(one, kSecond);
      fabric::add_slice(config, slices[i], one, all);
    }
    return all;
  }

  NetworkConfig config;
  std::vector<fabric::Slice> slices;
  TestStore store;
  std::vector<std::unique_ptr<Network>> networks;
  std::vector<Arrived> arrivals;
  std::size_t crossings = 0;
};

}  // namespace

TEST_CASE("two slices do what the whole network does", "[slice]") {
  NetworkConfig config = two_halves();
  SECTION("store and forward") {}
  SECTION("cut-through, with delays") {
    for (fabric::SwitchConfig& sw : config.switches) sw.times = {200'000, 100'000, 100'000, true};
  }
  Sliced whole(config, {});
  whole.load();
  Sliced halves(config, {{{1, 0}, {1, 1, 1, 1, 0, 0, 0, 0}}, {{0, 1}, {0, 0, 0, 0, 1, 1, 1, 1}}});
  halves.load();
  CHECK(halves.crossings > 800);
  REQUIRE(halves.arrivals.size() == whole.arrivals.size());
  CHECK(halves.arrivals == whole.arrivals);

  const fabric::NetworkSnapshot a = whole.look();
  const fabric::NetworkSnapshot b = halves.look();
  CHECK(a.totals.dropped_fault > 10);
  CHECK(a.totals.reordered > 10);
  CHECK(a.totals.entered == b.totals.entered);
  CHECK(a.totals.delivered == b.totals.delivered);
  CHECK(a.totals.dropped_fault == b.totals.dropped_fault);
  CHECK(a.totals.in_network == b.totals.in_network);
  std::uint64_t marked = 0;
  for (std::size_t p = 0; p < a.ports.size(); ++p) {
    CAPTURE(p);
    CHECK(a.ports[p].tx_packets == b.ports[p].tx_packets);
    CHECK(a.ports[p].ecn_marked == b.ports[p].ecn_marked);
    CHECK(a.ports[p].queue_bytes_max == b.ports[p].queue_bytes_max);
    CHECK(a.ports[p].pause_tx == b.ports[p].pause_tx);
    marked += a.ports[p].ecn_marked;
  }
  CHECK(marked > 10);
}

TEST_CASE("a slice does not run past the arrival of a frame that has not left it", "[slice]") {
  Sliced halves(two_halves(), {{{1, 0}, {1, 1, 1, 1, 0, 0, 0, 0}}, {{0, 1}, {0, 0, 0, 0, 1, 1, 1, 1}}});
  DataFrame f;
  f.to = 5;
  halves.network_of(0).send(0, halves.store.make(data_bytes(f)), 0);
  CHECK_THROWS_AS(halves.run(kMillisecond), std::logic_error);
}

TEST_CASE("a frame that crosses to another slice keeps its flow", "[slice]") {
  Sliced halves(two_halves(), {{{1, 0}, {1, 1, 1, 1, 0, 0, 0, 0}}, {{0, 1}, {0, 0, 0, 0, 1, 1, 1, 1}}});
  DataFrame f;
  f.to = 5;
  halves.network_of(0).send(0, halves.store.make(data_bytes(f)), 0);
  for (Time now = 0; now < 20 * kMicrosecond; now += kMicrosecond) halves.run(now);
  REQUIRE(halves.arrivals.size() == 1);
  const auto flows = halves.networks[1]->flows();
  REQUIRE(flows.size() == 1);
  CHECK(flows[0].source == 0);
  CHECK(flows[0].destination == 5);
  CHECK(flows[0].qpn == f.qpn);
  CHECK(flows[0].packets == 1);
}

TEST_CASE("a slice forges CNPs for more flows than the whole network counts", "[slice]") {
  NetworkConfig config = two_halves();
  config.links.back().a_to_b = config.links.back().b_to_a = {};
  for (fabric::SwitchConfig& sw : config.switches) sw.forge = {1'000, 100 * kMicrosecond, 50 * kMicrosecond};
  const auto cnps = [&](std::size_t flows, const std::vector<fabric::Slice>& slices) {
    config.flows = flows;
    Sliced network(config, slices);
    for (std::uint32_t i = 0; i < 400; ++i) {
      const Time now = i * kMicrosecond;
      network.run(now);
      DataFrame data{i % 4, 4 + i % 4};
      data.qpn = 0x100 + i % 4;
      DataFrame ack{data.to, data.from};
      ack.qpn = 0x200 + i % 4;
      network.network_of(data.from).send(data.from, network.store.make(data_bytes(data)), now);
      network.network_of(data.to).send(data.to, network.store.make(ack_bytes(ack)), now);
    }
    for (Time now = 400 * kMicrosecond; now < kMillisecond; now += kMicrosecond) network.run(now);
    std::sort(network.arrivals.begin(), network.arrivals.end());
    return std::pair(network.arrivals, network.look().totals.made);
  };
  const auto whole = cnps(64, {});
  const auto halves =
      cnps(1, {{{1, 0}, {1, 1, 1, 1, 0, 0, 0, 0}, 64}, {{0, 1}, {0, 0, 0, 0, 1, 1, 1, 1}, 64}});
  CHECK(whole.second > 10);
  CHECK(whole.second == halves.second);
  CHECK(whole.first == halves.first);
}
