// SPDX-License-Identifier: BSD-3-Clause
#include "lab_documents.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace softfeb;
using namespace softfeb::config;
using namespace softfeb::config::test;
using fabric::NodeRef;

TEST_CASE("a topology becomes switches, stations and links") {
  const LabConfig c = test::load_lab(kLabBase);
  REQUIRE(c.network.switches.size() == 1);
  REQUIRE(c.network.stations.size() == 4);
  REQUIRE(c.network.links.size() == 4);
  CHECK(c.network.stations[2].name == "feb-2");
  CHECK(c.network.stations[3].name == "daq");
  CHECK(c.network.stations[3].mac == c.run.receivers[0].endpoint.mac);
  CHECK(c.network.links[1].a == NodeRef{NodeRef::Kind::kStation, 1});
  CHECK(c.network.links[1].b == NodeRef{NodeRef::Kind::kSwitch, 0});
  CHECK(c.network.links[1].rate == 1'250'000'000);
  CHECK(c.network.links[3].delay == kMicrosecond);
  CHECK(c.network.links[1].flow_control == roce::PauseMode::kPfc);
  CHECK(c.link_names == std::vector<std::string>{"feb-0-tor", "feb-1-tor", "feb-2-tor", "tor-daq"});
  CHECK(c.lab.bottleneck == 3U);
  CHECK(c.lab.bottleneck_switch == 0);
  CHECK(c.run.boards[0].link_rate == 1'250'000'000U);
  CHECK(c.station_of == std::vector<std::optional<std::uint32_t>>{0, 1, 2, 3});
}

TEST_CASE("static neighbours spare boards the resolution of their receivers") {
  const LabConfig resolving = test::load_lab(kLabBase);
  CHECK(resolving.run.boards[0].endpoint.neighbours.empty());
  const LabConfig known = test::load_lab(kLabBase, {"network.neighbours=static"});
  for (const BoardConfig& board : known.run.boards) {
    REQUIRE(board.endpoint.neighbours.size() == 1);
    CHECK(board.endpoint.neighbours[0].ip == known.run.receivers[0].endpoint.ip);
    CHECK(board.endpoint.neighbours[0].mac == known.run.receivers[0].endpoint.mac);
  }
  CHECK(known.run.receivers[0].endpoint.neighbours.empty());
  // The written configuration also contains these entries.
  CHECK(to_json(load_lab_text(to_yaml(known), "again.yaml")) == to_json(known));
}

TEST_CASE("a static neighbour that the file gives is kept") {
  const LabConfig c = test::load_lab(
      kLabBase, {"network.neighbours=static", "boards.feb.neighbours={10.0.0.101: 02:00:00:00:00:77}"});
  REQUIRE(c.run.boards[0].endpoint.neighbours.size() == 1);
  CHECK(c.run.boards[0].endpoint.neighbours[0].mac[5] == 0x77);
}

TEST_CASE("a network counts the flows of all its queue pairs") {
  CHECK(test::load_lab(kLabBase).network.flows == fabric::NetworkConfig::kUsualFlows);
  CHECK(test::load_lab(kLabBase, {"boards.feb.qps.0.count=1000"}).network.flows == 3 * 2 * 1000);
}

TEST_CASE("the settings of a switch") {
  const LabConfig c = test::load_lab(
      kLabBase,
      {"network.switches.tor.port_limit=1MiB", "network.switches.tor.dynamic_alpha=0.5",
       "network.switches.tor.queues.0.kmin=50KiB",
       "network.switches.tor.queues.1={queue: 6, weight: strict, ecn: off}", "network.switches.tor.trust=pcp",
       "network.switches.tor.dscp_to_queue={26: 3, 48: 6}", "network.switches.tor.pcp_to_queue={0: 3}",
       "network.switches.tor.forge={threshold: 9Gb/s, interval: 5us}",
       "network.links.1.faults={drop: 50%, reorder_by: 2us}", "network.links.1.faults_back={corrupt: 1%}"});
  const fabric::SwitchConfig& s = c.network.switches[0];
  CHECK(s.buffer == 4U << 20);
  CHECK(s.port_limit == 1U << 20);
  CHECK(s.dynamic_alpha == 128);
  CHECK(s.queues[0].ecn.enabled);
  CHECK(s.queues[0].ecn.kmin == 100 * 1024);
  CHECK(s.queues[3].ecn.kmin == 50 * 1024);
  CHECK(s.queues[3].ecn.kmax == 400 * 1024);
  CHECK(s.queues[3].lossless);
  CHECK_FALSE(s.queues[0].lossless);
  CHECK_FALSE(s.queues[6].ecn.enabled);
  CHECK(s.queues[6].weight == 0);
  CHECK(s.trust_pcp);
  CHECK(s.dscp_to_queue[26] == 3);
  CHECK(s.dscp_to_queue[25] == 0);
  CHECK(s.pcp_to_queue[0] == 3);
  CHECK(s.pause.xon == 500 * 1024);
  CHECK(s.forge.threshold == 1'125'000'000);
  CHECK(s.forge.interval == 5 * kMicrosecond);
  const fabric::LinkConfig& link = c.network.links[3];
  CHECK(link.a_to_b.drop == std::uint64_t{1} << 31);
  CHECK(link.a_to_b.reorder_by == 2 * kMicrosecond);
  CHECK(link.b_to_a.drop == 0);
  CHECK(link.b_to_a.corrupt != 0);
  CHECK(to_json(load_lab_text(to_yaml(c), "again")) == to_json(c));
}

TEST_CASE("strict priorities of a switch") {
  CHECK_FALSE(to_json(test::load_lab(kLabBase)).at("network").at("switches").at(0).contains("priorities"));
  const LabConfig c = test::load_lab(
      kLabBase, {"network.switches.tor.priorities=4", "network.switches.tor.queues.1={queue: 0, weight: 7}",
                 "network.switches.tor.dscp_to_queue={26: 2, 63: 0}"});
  const fabric::SwitchConfig& s = c.network.switches[0];
  CHECK(s.priorities == 4);
  CHECK(s.queues[0].weight == 7);
  CHECK(s.queues[1].weight == 0);
  CHECK(s.queues[3].weight == 0);
  CHECK(s.queues[3].lossless);
  CHECK(s.dscp_to_queue[7] == 0);
  CHECK(s.dscp_to_queue[8] == 1);
  CHECK(s.dscp_to_queue[26] == 2);
  CHECK(s.dscp_to_queue[27] == 3);
  CHECK(s.dscp_to_queue[62] == 3);
  CHECK(s.dscp_to_queue[63] == 0);
  CHECK(s.pcp_to_queue[7] == 3);
  CHECK(to_json(load_lab_text(to_yaml(c), "again")) == to_json(c));
}

TEST_CASE("the scheduler of a switch") {
  const LabConfig plain = test::load_lab(kLabBase);
  CHECK_FALSE(plain.network.switches[0].scheduler.by_packets);
  CHECK(plain.network.switches[0].scheduler.overhead == 24);
  const auto json = to_json(plain).at("network").at("switches").at(0);
  for (const char* key : {"scheduler", "scheduler_overhead", "port_rate", "port_burst"})
    CHECK_FALSE(json.contains(key));
  CHECK_FALSE(json.at("queues").at(3).contains("burst"));

  const LabConfig c = test::load_lab(
      kLabBase, {"network.switches.tor.scheduler=wrr", "network.switches.tor.scheduler_overhead=20",
                 "network.switches.tor.port_rate=8Gb/s", "network.switches.tor.port_burst=8KiB",
                 "network.switches.tor.queues.0.min_rate=800Mb/s",
                 "network.switches.tor.queues.1={queue: 6, max_rate: 4Gb/s, burst: 0}"});
  const fabric::SwitchConfig& s = c.network.switches[0];
  CHECK(s.scheduler.by_packets);
  CHECK(s.scheduler.overhead == 20);
  CHECK(s.scheduler.port_rate == 1'000'000'000);
  CHECK(s.scheduler.port_burst == 8192);
  CHECK(s.queues[3].rates.min == 100'000'000);
  CHECK(s.queues[3].rates.max == 0);
  CHECK(s.queues[3].rates.burst == 16'384);
  CHECK(s.queues[6].rates.min == 0);
  CHECK(s.queues[6].rates.max == 500'000'000);
  CHECK(s.queues[6].rates.burst == 0);
  CHECK(to_json(load_lab_text(to_yaml(c), "again")) == to_json(c));
}

TEST_CASE("MTU, VLANs and routing") {
  const LabConfig plain = test::load_lab(kLabBase);
  CHECK(plain.network.switches[0].mtu == 0);
  CHECK_FALSE(plain.network.links[0].vlans);
  const auto json = to_json(plain).at("network");
  for (const char* key : {"mtu", "mtu_counts_tag", "route"})
    CHECK_FALSE(json.at("switches").at(0).contains(key));
  CHECK_FALSE(json.at("links").at(0).contains("vlans"));

  const LabConfig c =
      test::load_lab(kLabBase, {"network.switches.tor.mtu=1500", "network.switches.tor.mtu_counts_tag=on",
                                "network.switches.tor.route=on", "network.links.1.vlans=[10, 20, 10]",
                                "network.links.1.untagged=off"});
  CHECK(c.network.switches[0].mtu == 1500);
  CHECK(c.network.switches[0].mtu_counts_tag);
  CHECK(c.network.switches[0].routes);
  CHECK(c.network.links[3].vlans == std::vector<std::uint16_t>{10, 20});
  CHECK_FALSE(c.network.links[3].untagged);
  CHECK(to_json(load_lab_text(to_yaml(c), "again")) == to_json(c));
}

TEST_CASE("several paths") {
  using Mode = fabric::MultipathConfig::Mode;
  CHECK_FALSE(test::load_lab(kLabBase).network.multipath);
  CHECK_FALSE(to_json(test::load_lab(kLabBase)).at("network").contains("multipath"));

  const LabConfig c = test::load_lab(
      kLabBase, {"network.multipath={mode: hash_threshold, hash: [source_port, dest_qp], seed: 9}",
                 "network.switches.1={name: leaf, buffer: 1MiB, multipath: {seed: 3, polarised: on}}",
                 "network.links.2={ends: [tor, leaf], rate: 10Gb/s}",
                 "network.links.3={ends: [leaf, tor], rate: 10Gb/s}", "lab.bottleneck=tor.leaf#2"});
  REQUIRE(c.network.multipath);
  CHECK(c.network.multipath->mode == Mode::kHashThreshold);
  CHECK(c.network.multipath->fields == (fabric::kHashSourcePort | fabric::kHashDestQp));
  CHECK(c.network.multipath->seed == 9);
  CHECK_FALSE(c.network.multipath->polarised);
  CHECK_FALSE(c.network.switches[0].multipath);
  const fabric::MultipathConfig own{Mode::kHashThreshold, c.network.multipath->fields, 3, true};
  CHECK(c.network.switches[1].multipath == own);
  CHECK(c.link_names[4] == "tor-leaf");
  CHECK(c.link_names[5] == "leaf-tor#2");
  CHECK(c.lab.bottleneck == 5U);
  CHECK(c.lab.bottleneck_switch == 0);
  CHECK(to_json(load_lab_text(to_yaml(c), "again")) == to_json(c));
}

TEST_CASE("in-band telemetry of switches") {
  const LabConfig off = test::load_lab(kLabBase);
  CHECK_FALSE(off.network.switches[0].int_on);
  CHECK(off.network.cc_port == 49'791);
  CHECK_FALSE(to_json(off).at("run").contains("cc_port"));
  CHECK_FALSE(to_json(off).at("network").at("switches").at(0).contains("int"));

  const LabConfig c = test::load_lab(
      kLabBase, {"run.cc_port=50000", "network.switches.tor.int=on",
                 "network.switches.1={name: leaf, count: 2, buffer: 1MiB, int: on, int_id: 0x2211}",
                 "network.links.2={ends: [tor, leaf], rate: 10Gb/s}"});
  CHECK(c.network.cc_port == 50'000);
  CHECK(c.network.switches[0].int_on);
  CHECK(c.network.switches[0].int_id == 0);
  CHECK(c.network.switches[1].int_id == 0x2211);
  CHECK(c.network.switches[2].int_id == 0x2212);
  CHECK(to_json(load_lab_text(to_yaml(c), "again")) == to_json(c));
}

TEST_CASE("endpoints with links reach the network's worker over rings") {
  const LabConfig c = test::load_lab(kLabBase, {"workers.count=3", "receivers.daq.worker=2"});
  CHECK(c.network_worker == 2);
  CHECK(c.run.boards[0].endpoint.worker == 0);
  CHECK(c.run.boards[1].endpoint.worker == 1);
  CHECK(c.run.boards[2].endpoint.worker == 0);
  REQUIRE(c.rings.size() == 3);
  for (const LabRing& ring : c.rings) {
    CHECK(c.run.ports[ring.near_port].device.name == c.run.ports[ring.far_port].device.name);
    CHECK(c.run.ports[ring.near_port].mtu == 4200U);
  }
  CHECK(c.run.boards[1].endpoint.port == c.rings[1].near_port);
  CHECK(c.rings[1].worker == 1);
  CHECK(c.run.boards[0].qps[0].pmtu == 4096);
  CHECK(test::load_lab(kLabBase, {"network.worker=0"}).run.boards[0].endpoint.worker == 1);
  CHECK(test::load_lab(kLabBase, {"workers.count=1"}).run.boards[0].endpoint.worker == 0);
}

TEST_CASE("ranges and groups of switches") {
  const LabConfig c = test::load_lab(
      kLabBase,
      {"network.switches.1={name: leaf, count: 2, buffer: 1MiB}",
       "network.links=[{ends: [feb-0..feb-1, leaf-0], rate: 1Gb/s}, {ends: [leaf-1, feb-2], rate: 2Gb/s},"
       " {ends: [tor, leaf], rate: 10Gb/s}, {ends: [daq, tor], rate: 10Gb/s}]"});
  CHECK(c.network.switches.size() == 3);
  CHECK(c.link_names == std::vector<std::string>{"feb-0-leaf-0", "feb-1-leaf-0", "leaf-1-feb-2", "tor-leaf-0",
                                                 "tor-leaf-1", "daq-tor"});
  CHECK(c.network.links[4].b == NodeRef{NodeRef::Kind::kSwitch, 2});
  CHECK(c.lab.bottleneck == 5U);
  CHECK(c.run.boards[2].link_rate == 250'000'000U);
}

TEST_CASE("a DPDK port as a station") {
  const LabConfig c = test::load_lab(
      kLabBase,
      {"ports=[{name: nic, device: net_null, mtu: 4200}, {name: other, device: net_tap:t, mtu: 4200}]",
       "network.links.2={ends: [nic, tor], rate: 25Gb/s}", "receivers.1.name=beside",
       "receivers.1.port=other", "receivers.1.ip=10.0.0.102/24"});
  REQUIRE(c.port_stations.size() == 1);
  CHECK(c.port_stations[0].second == 0);
  CHECK(c.network.stations[c.port_stations[0].first].name == "nic");
  CHECK_FALSE(c.network.stations[c.port_stations[0].first].mac);
  CHECK(c.station_of[4] == std::nullopt);
  CHECK(c.run.receivers[1].endpoint.port == 1);
  CHECK(to_json(load_lab_text(to_yaml(c), "again")) == to_json(c));
}

TEST_CASE("boards start and stop at their own times") {
  const LabConfig c = test::load_lab(kLabBase, {"boards.feb.start=[0, 100ms]", "boards.feb.stop=900ms"});
  CHECK(c.run.boards[0].start == 0);
  CHECK(c.run.boards[1].start == 100 * kMillisecond);
  CHECK(c.run.boards[2].start == 0);
  CHECK(c.run.boards[2].stop == 900 * kMillisecond);
  const RunConfig run = test::load(kBase, {"boards.feb0.start=2s", "boards.feb0.pause=pfc"});
  CHECK(run.boards[0].start == 2 * kSecond);
  CHECK(run.boards[0].endpoint.pause == roce::PauseMode::kPfc);
  CHECK(test::load(kBase).boards[0].endpoint.pause == roce::PauseMode::kPause);
}

TEST_CASE("section lab") {
  const LabConfig c =
      test::load_lab(kLabBase, {"lab.title=T", "lab.shows=S", "lab.corresponds=C",
                                "lab.sample_interval=100us", "lab.stolen_limit=0.5%",
                                "lab.checks={fairness_jain: 1, convergence: 5ms, queue_bytes_max: 1KiB, "
                                "pause_tx: at least 7, demand_met: at most 50%}",
                                "lab.sweep=[{key: boards.feb.dscp, values: [1, 2]}]"});
  CHECK(c.lab.title == "T");
  CHECK(c.lab.sample_interval == 100 * kMicrosecond);
  CHECK(c.lab.stolen_limit == 0.005);
  REQUIRE(c.lab.checks.size() == 5);
  CHECK(c.lab.checks[0].limit == 1);
  CHECK(c.lab.checks[1].limit == 0.005);
  CHECK(c.lab.checks[2].limit == 1024);
  CHECK_FALSE(c.lab.checks[2].at_least);
  CHECK(c.lab.checks[3].limit == 7);
  CHECK(c.lab.checks[3].at_least == true);
  CHECK(c.lab.checks[4].limit == 0.5);
  CHECK(c.lab.checks[4].at_least == false);
  REQUIRE(c.lab.sweep.size() == 1);
  CHECK(c.lab.sweep[0].values == std::vector<std::string>{"1", "2"});
  CHECK(to_json(load_lab_text(to_yaml(c), "again")) == to_json(c));
}
