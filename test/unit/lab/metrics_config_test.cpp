// SPDX-License-Identifier: BSD-3-Clause
#include "lab/metrics_config.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::lab;

namespace {

using fabric::NodeRef;

NodeRef station(std::uint32_t i) { return {NodeRef::Kind::kStation, i}; }
NodeRef a_switch(std::uint32_t i) { return {NodeRef::Kind::kSwitch, i}; }

fabric::LinkConfig link(NodeRef a, NodeRef b, std::uint64_t rate = 1'250'000'000) {
  return {a, b, rate, 0, {}, {}, {}};
}

/// Returns a network with stations 0 and 1 at switch 0, and 2 and 3 at switch 1. The switches are connected.
fabric::NetworkConfig two_switches() {
  fabric::NetworkConfig n;
  n.switches.resize(2);
  n.stations.resize(4);
  n.links = {link(station(0), a_switch(0)), link(a_switch(0), station(1)), link(a_switch(0), a_switch(1)),
             link(a_switch(1), station(2)), link(station(3), a_switch(1))};
  return n;
}

}  // namespace

TEST_CASE("whether a path passes a port", "[lab]") {
  const auto n = two_switches();
  CHECK(PortPaths(n, {0, 2}).passes(0, 2));
  CHECK(PortPaths(n, {1, 3}).passes(0, 2));
  CHECK_FALSE(PortPaths(n, {1, 2}).passes(0, 2));  // the reverse direction
  CHECK_FALSE(PortPaths(n, {0, 2}).passes(0, 1));
  CHECK_FALSE(PortPaths(n, {0, 2}).passes(3, 2));
  CHECK(PortPaths(n, {1, 2}).passes(3, 1));
}

TEST_CASE("the metrics' configuration has send times, rates and paths", "[lab]") {
  config::LabConfig c;
  c.network = two_switches();
  c.network.links[0].rate = 500'000'000;
  c.run.boards.resize(2);
  c.run.boards[0].start = kSecond;
  c.run.boards[1].stop = 2 * kSecond;
  c.run.boards[1].link_rate = 100'000'000;
  c.run.boards[1].qps.resize(1);
  c.run.boards[1].qps[0].count = 3;
  c.run.boards[1].qps[0].pmtu = 1024;
  c.run.boards[1].qps[0].traffic.message_size = 1536;
  c.run.boards[1].qps[0].traffic.rate = {config::Rate::Unit::kPackets, 1000};
  c.run.boards[0].qps.resize(1);
  c.run.receivers.resize(1);
  c.run.run.duration = 5 * kSecond;
  c.station_of = {0, 3, 2};
  c.lab.bottleneck = 3;
  c.lab.bottleneck_switch = 1;
  const MetricsConfig m = make_metrics_config(c, {{0, 0, 2, 0}, {1, 0, 2, 1}});
  CHECK(m.end == 5 * kSecond);
  REQUIRE(m.boards.size() == 2);
  CHECK(m.boards[0].sending.start == kSecond);
  CHECK(m.boards[0].sending.stop == kNever);
  CHECK(m.boards[0].link_rate == 500'000'000);
  CHECK(m.boards[0].asked == 0);
  CHECK(m.boards[1].sending.stop == 2 * kSecond);
  CHECK(m.boards[1].link_rate == 100'000'000);
  CHECK(m.boards[1].asked == 3 * 768'000);
  c.run.boards[1].qps[0].traffic.message_size = 16'384;
  c.run.boards[1].qps[0].traffic.rate = config::Rate::every(20'971'520 * kNanosecond);
  CHECK(make_metrics_config(c, {}).boards[1].asked == 3 * 781'250);  // three QPs of exactly 6.25 Mb/s
  REQUIRE(m.bottleneck);
  CHECK(m.bottleneck->switch_index == 1);
  CHECK(m.flows[0].through_bottleneck);
  CHECK(m.flows[1].through_bottleneck);
  c.lab.bottleneck = 2;
  c.lab.bottleneck_switch = 0;
  const MetricsConfig between = make_metrics_config(c, {{0, 0, 2, 0}, {1, 0, 2, 1}});
  CHECK(between.flows[0].through_bottleneck);
  CHECK_FALSE(between.flows[1].through_bottleneck);
}
