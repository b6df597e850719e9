// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/multipath.hpp"

#include "fabric/hops.hpp"
#include "multipath_fixture.hpp"
#include "pause_frames.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::test;
using Mode = fabric::MultipathConfig::Mode;

namespace {

constexpr std::uint32_t kFlows = 1024;

double chi_square(const std::vector<std::uint64_t>& counts) {
  const double mean = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0})) /
                      static_cast<double>(counts.size());
  double sum = 0;
  for (const std::uint64_t c : counts)
    sum += (static_cast<double>(c) - mean) * (static_cast<double>(c) - mean);
  return sum / mean;
}

/// Returns the index of the spine of each of kFlows flows.
std::vector<std::size_t> spines_of_flows(std::uint32_t spines, Mode mode) {
  NetworkConfig config = leaf_spine(spines);
  config.multipath->mode = mode;
  Bench b(config);
  std::vector<std::size_t> chosen;
  std::vector<std::uint64_t> before(spines, 0);
  Time now = 0;
  for (std::uint32_t i = 0; i < kFlows; ++i, now += 10 * kMicrosecond) {
    b.send(0, with_source_port(static_cast<std::uint16_t>(0xc000 + i)), now);
    b.run(now + 9 * kMicrosecond);
    const auto after = chosen_at(b, 0);
    for (std::size_t s = 0; s < spines; ++s)
      if (after[s] != before[s]) chosen.push_back(s);
    before = after;
  }
  return chosen;
}

/// Returns a network with three layers of paths. Stations 0 and 1 are at switch 0, which has links to
/// switches 1 and 2. Switches 1 and 2 have links to switches 3 and 4. Switches 3 and 4 have links to switch
/// 5, which has stations 2 and 3.
NetworkConfig three_layers() {
  NetworkConfig config = star(4);
  config.multipath.emplace();
  for (int s = 1; s < 6; ++s) config.switches.push_back(config.switches[0]);
  for (auto& sw : config.switches) sw.buffer = 64 << 20;
  config.links[2].b = config.links[3].b = switch_(5);
  for (const std::uint32_t s : {1, 2}) {
    config.links.push_back(link_between(switch_(0), switch_(s)));
    for (const std::uint32_t t : {3, 4}) config.links.push_back(link_between(switch_(s), switch_(t)));
  }
  for (const std::uint32_t t : {3, 4}) config.links.push_back(link_between(switch_(t), switch_(5)));
  return config;
}

}  // namespace

TEST_CASE("multipath: flows spread evenly over the spines, and the packets of a flow take one path") {
  const Mode mode = GENERATE(Mode::kHash, Mode::kHashThreshold);
  NetworkConfig config = leaf_spine(4);
  config.multipath->mode = mode;
  Bench b(config);
  send_flows(b, kFlows);
  send_flows(b, kFlows);
  b.run(100 * kMillisecond);
  CHECK(b.at_station(2).size() == 2 * kFlows);
  std::vector<std::uint64_t> chosen = chosen_at(b, 0);
  REQUIRE(chosen.size() == 4);
  CHECK(std::accumulate(chosen.begin(), chosen.end(), std::uint64_t{0}) == 2 * kFlows);
  for (std::uint64_t& c : chosen) {
    CHECK(c % 2 == 0);
    c /= 2;
  }
  CHECK(chi_square(chosen) < 16.27);  // 99.9 % quantile for three degrees of freedom
  CHECK(chi_square(chosen) > 0);
  CHECK(b.conserved(100 * kMillisecond));
}

TEST_CASE("multipath: flows with one source port take one path where only ports differ") {
  Bench b(leaf_spine(4));
  for (roce::Qpn qpn = 0; qpn < 100; ++qpn) b.send({0, 2, 64, qpn}, 0);
  b.run(kMillisecond);
  const auto chosen = chosen_at(b, 0);
  CHECK(*std::max_element(chosen.begin(), chosen.end()) == 100);
  CHECK(std::count(chosen.begin(), chosen.end(), 0U) == 3);
  // With DestQP in the hash, the same flows spread.
  NetworkConfig config = leaf_spine(4);
  config.multipath->fields = fabric::kHashDestQp;
  Bench c(config);
  for (roce::Qpn qpn = 0; qpn < 100; ++qpn) c.send({0, 2, 64, qpn}, 0);
  c.run(kMillisecond);
  const auto spread = chosen_at(c, 0);
  CHECK(chi_square(spread) < 16.27);
}

TEST_CASE("multipath: a switch may have fields and a seed of its own") {
  NetworkConfig config = leaf_spine(4);
  Bench b(config);
  send_flows(b, kFlows);
  config.switches[0].multipath.emplace();
  config.switches[0].multipath->seed = 7;
  Bench other(config);
  send_flows(other, kFlows);
  config.switches[0].multipath->fields = fabric::kHashProtocol;
  Bench blind(config);
  send_flows(blind, kFlows);
  for (Bench* bench : {&b, &other, &blind}) bench->run(100 * kMillisecond);
  CHECK(chosen_at(b, 0) != chosen_at(other, 0));
  const auto chosen = chosen_at(blind, 0);
  CHECK(*std::max_element(chosen.begin(), chosen.end()) == kFlows);
}

TEST_CASE("multipath: with hash-threshold, a new next hop moves half of the flows; with modulo, most") {
  const auto moved = [](Mode mode) {
    const auto four = spines_of_flows(4, mode);
    const auto five = spines_of_flows(5, mode);
    REQUIRE(four.size() == kFlows);
    REQUIRE(five.size() == kFlows);
    std::size_t different = 0;
    for (std::size_t i = 0; i < kFlows; ++i) different += four[i] != five[i] ? 1 : 0;
    return static_cast<double>(different) / kFlows;
  };
  // According to RFC 2992, section 3, half of the flows move if the new region is added at the end.
  CHECK(moved(Mode::kHashThreshold) == Approx(0.5).margin(0.06));
  // A flow keeps its next hop if its hash has the same remainder modulo 4 and modulo 5, which is true of 4 of
  // 20 hashes.
  CHECK(moved(Mode::kHash) == Approx(0.8).margin(0.06));
}

TEST_CASE("multipath: equal hashes in all layers leave paths unused") {
  NetworkConfig config = three_layers();
  const auto used = [&config](std::uint32_t sw) {
    Bench b(config);
    send_flows(b, kFlows);
    b.run(100 * kMillisecond);
    CHECK(b.at_station(2).size() == kFlows);
    const auto chosen = chosen_at(b, sw);
    return chosen.size() - static_cast<std::size_t>(std::count(chosen.begin(), chosen.end(), 0U));
  };
  CHECK(used(0) == 2);
  CHECK(used(1) == 2);
  CHECK(used(2) == 2);
  config.multipath->polarised = true;
  CHECK(used(0) == 2);
  CHECK(used(1) == 1);
  CHECK(used(2) == 1);
}

TEST_CASE("multipath: spraying uses all paths for one flow") {
  NetworkConfig config = leaf_spine(4);
  config.multipath->mode = Mode::kRoundRobin;
  Bench b(config);
  for (int i = 0; i < 100; ++i) b.send({0, 2}, 0);
  b.run(kMillisecond);
  CHECK(chosen_at(b, 0) == std::vector<std::uint64_t>{25, 25, 25, 25});
  config.multipath->mode = Mode::kRandom;
  Bench random(config);
  for (int i = 0; i < 1000; ++i) random.send({0, 2, 64}, 0);
  random.run(10 * kMillisecond);
  const auto chosen = chosen_at(random, 0);
  CHECK(chi_square(chosen) < 16.27);
  CHECK(chi_square(chosen) > 0);
  CHECK(random.at_station(2).size() == 1000);
}

TEST_CASE("multipath: with cut-through, a sprayed frame takes the port chosen for its header") {
  const Time pipeline = GENERATE(Time{0}, 400 * kNanosecond);
  NetworkConfig config = leaf_spine(4);
  config.multipath->mode = Mode::kRoundRobin;
  for (auto& sw : config.switches) sw.times = {.pipeline = pipeline, .cut_through = true};
  const auto check_choices = [](Bench& b, std::uint64_t each) {
    CHECK(chosen_at(b, 0) == std::vector<std::uint64_t>(4, each));
    for (const auto& hop : b.snapshot.next_hops)
      if (hop.switch_index == 0) CHECK(b.snapshot.ports[hop.port].tx_packets == hop.packets);
  };
  // A single sender finds idle ports: all frames cut through all three switches.
  Bench idle(config);
  for (int i = 0; i < 100; ++i) idle.send({0, 2}, 0);
  idle.run(kMillisecond);
  check_choices(idle, 25);
  const auto got = idle.at_station(2);
  REQUIRE(got.size() == 100);
  const Time cut = fabric::SwitchTimes::kHeader * 800 + pipeline;
  for (std::size_t i = 0; i < got.size(); ++i)
    CHECK(got[i].at == static_cast<Time>(i + 1) * kDataWire + 4 * kDelay + 3 * cut);
  // Two senders with unequal phases: some frames find a busy port, and are stored.
  Bench busy(config);
  for (int i = 0; i < 100; ++i) busy.send({0, 2}, 0);
  busy.run(kDataWire / 3);
  for (int i = 0; i < 100; ++i) busy.send({1, 3, 256}, kDataWire / 3);
  busy.run(kMillisecond);
  check_choices(busy, 50);
  CHECK(busy.at_station(2).size() == 100);
  CHECK(busy.at_station(3).size() == 100);
  CHECK(busy.conserved(kMillisecond));
}

TEST_CASE("multipath: parallel links between two switches") {
  NetworkConfig config = star(4);
  config.multipath.emplace();
  config.switches.push_back(config.switches[0]);
  config.links[2].b = config.links[3].b = switch_(1);
  for (int i = 0; i < 3; ++i) config.links.push_back(link_between(switch_(0), switch_(1)));
  config.switches[0].buffer = 64 << 20;
  Bench b(config);
  send_flows(b, kFlows);
  b.run(100 * kMillisecond);
  const auto chosen = chosen_at(b, 0);
  REQUIRE(chosen.size() == 3);
  CHECK(chi_square(chosen) < 13.82);
  CHECK(b.at_station(2).size() == kFlows);
  // The port counters agree with the counters of the next hops, both in packets and in bytes on the wire.
  for (const auto& hop : b.look(0).next_hops) {
    if (hop.switch_index != 0) continue;
    CHECK(b.snapshot.ports[hop.port].tx_packets == hop.packets);
    CHECK(b.snapshot.ports[hop.port].tx_wire_bytes == hop.wire_bytes);
  }
}

TEST_CASE("multipath: frames take only the shortest paths") {
  // A ring of five switches with a station at each: one direction is shorter.
  NetworkConfig config = star(5);
  config.multipath.emplace();
  config.multipath->mode = Mode::kRandom;
  for (std::uint32_t s = 1; s < 5; ++s) config.switches.push_back(config.switches[0]);
  for (std::uint32_t s = 0; s < 5; ++s) {
    config.links[s].b = switch_(s);
    config.links.push_back(link_between(switch_(s), switch_((s + 1) % 5)));
  }
  Bench b(config);
  for (int i = 0; i < 20; ++i) b.send({0, 2, 64}, 0);
  for (int i = 0; i < 20; ++i) b.send({0, 3, 64}, 0);
  b.run(kMillisecond);
  CHECK(b.at_station(2).size() == 20);
  CHECK(b.at_station(3).size() == 20);
  const auto& snapshot = b.look(kMillisecond);
  CHECK(snapshot.next_hops.empty());  // no switch had to choose
  std::uint64_t hops = 0;
  for (const auto& port : snapshot.ports) hops += port.tx_packets;
  CHECK(hops == 40 * 3);
}

TEST_CASE("hops: which links the frames of two stations may use") {
  const NetworkConfig config = leaf_spine(2);
  const fabric::Hops hops(config);
  // Links 4 and 5 are those of the first leaf to the spines, and 6 and 7 those of the second.
  for (const std::size_t up : {4U, 5U}) {
    CHECK(hops.may_pass(up, false, 0, 2));
    CHECK_FALSE(hops.may_pass(up, true, 0, 2));
    CHECK(hops.may_pass(up, true, 2, 0));
    CHECK_FALSE(hops.may_pass(up, false, 0, 1));
  }
  CHECK(hops.may_pass(6, true, 0, 2));
  CHECK_FALSE(hops.may_pass(6, false, 0, 2));
  CHECK(hops.may_pass(0, false, 0, 2));
  CHECK_FALSE(hops.may_pass(0, false, 1, 2));
  CHECK(hops.may_pass(2, true, 0, 2));
  CHECK(hops.to(station(2))[hops.index_of(switch_(0))] == 3);
}

TEST_CASE("multipath: frames to a station without a path are dropped") {
  const Mode mode = GENERATE(Mode::kHash, Mode::kHashThreshold, Mode::kRoundRobin, Mode::kRandom);
  const bool cut_through = GENERATE(false, true);
  NetworkConfig config = leaf_spine(0);  // two leaf switches without a link between them
  config.multipath->mode = mode;
  for (auto& sw : config.switches) sw.times.cut_through = cut_through;
  Bench b(config);
  b.send({0, 2}, 0);
  b.send({0, 1}, 0);
  b.run(kMillisecond);
  CHECK(b.at_station(1).size() == 1);
  CHECK(b.arrivals.size() == 1);
  CHECK(b.look(kMillisecond).totals.dropped_unknown == 1);
  CHECK(b.conserved(kMillisecond));
}

TEST_CASE("multipath: what is not possible is refused") {
  const auto refused = [](const NetworkConfig& config) {
    TestStore store;
    CHECK_THROWS_AS(Network(config, store), std::invalid_argument);
  };
  NetworkConfig config = leaf_spine(2);
  SECTION("loops without multipath") { config.multipath.reset(); }
  SECTION("a link to itself") { config.links.push_back(link_between(switch_(0), switch_(0))); }
  SECTION("a station with two links") { config.links.push_back(link_between(station(0), switch_(1))); }
  SECTION("a choice of one switch in a network without multipath") {
    config = star(2);
    config.switches[0].multipath.emplace();
  }
  refused(config);
}
