// SPDX-License-Identifier: BSD-3-Clause
#include "fabric_fixture.hpp"

#include <stdexcept>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::test;

namespace {

/// Returns a network with two switches: stations 0 and 1 are at the first, and stations 2 and 3 at the
/// second.
NetworkConfig two_switches() {
  NetworkConfig config = star(4);
  config.switches.push_back(config.switches[0]);
  config.switches[1].name = "core";
  config.links[2].b = config.links[3].b = switch_(1);
  auto uplink = config.links[0];
  uplink.a = switch_(0);
  uplink.b = switch_(1);
  config.links.push_back(uplink);
  return config;
}

std::vector<std::uint8_t> to_address(std::vector<std::uint8_t> bytes, const roce::MacAddress& mac) {
  std::copy(mac.begin(), mac.end(), bytes.begin());
  return bytes;
}

std::vector<std::uint8_t> from_address(std::vector<std::uint8_t> bytes, const roce::MacAddress& mac) {
  std::copy(mac.begin(), mac.end(), bytes.begin() + 6);
  return bytes;
}

constexpr roce::MacAddress kBroadcast{0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

}  // namespace

TEST_CASE("forwarding: by MAC address, over two switches") {
  Bench b(two_switches());
  b.send({0, 1}, 0);
  b.send({0, 3}, 0);
  b.send({3, 0}, 0);
  b.run(kMillisecond);
  CHECK(b.at_station(0).size() == 1);
  CHECK(b.at_station(1).size() == 1);
  CHECK(b.at_station(2).empty());
  REQUIRE(b.at_station(3).size() == 1);
  CHECK(b.at_station(3)[0].bytes == data_bytes({0, 3}));
  CHECK(b.store.out == 0);
  CHECK(b.conserved(kMillisecond));
  CHECK(b.network.next_event() == kNever);
}

TEST_CASE("forwarding: group addresses are flooded to all other ports, once") {
  Bench b(two_switches());
  b.send(1, to_address(data_bytes({1, 0}), kBroadcast), 0);
  b.run(kMillisecond);
  CHECK(b.arrivals.size() == 3);
  CHECK(b.at_station(1).empty());
  CHECK(b.look(kMillisecond).totals.duplicated == 2);
  CHECK(b.conserved(kMillisecond));
  CHECK(b.store.out == 0);
}

TEST_CASE("forwarding: bridge addresses, unknown addresses and the sender's own side are dropped") {
  Bench b(two_switches());
  b.send(0, to_address(data_bytes({0, 1}), {0x01, 0x80, 0xc2, 0, 0, 0x0e}), 0);
  b.send(0, to_address(data_bytes({0, 1}), mac_of(77)), 0);
  b.send(0, to_address(data_bytes({0, 1}), mac_of(0)), 0);
  b.run(kMillisecond);
  CHECK(b.arrivals.empty());
  CHECK(b.look(kMillisecond).totals.dropped_unknown == 3);
  CHECK(b.conserved(kMillisecond));
  CHECK(b.store.out == 0);
}

TEST_CASE("forwarding: addresses are learned on ports without a configured address") {
  auto config = two_switches();
  config.stations[1].mac.reset();
  config.stations[3].mac.reset();
  Bench b(config);
  // Address 77 is unknown, so the frame is flooded to all stations without a configured address.
  b.send(0, to_address(data_bytes({0, 1}), mac_of(77)), 0);
  b.run(kMillisecond);
  CHECK(b.at_station(1).size() == 1);
  CHECK(b.at_station(3).size() == 1);
  CHECK(b.arrivals.size() == 2);
  // Station 3 sends from address 77. The switches learn that this address is at station 3.
  b.send(3, from_address(data_bytes({3, 0}), mac_of(77)), kMillisecond);
  b.send(0, to_address(data_bytes({0, 1}), mac_of(77)), kMillisecond);
  b.run(2 * kMillisecond);
  CHECK(b.at_station(1).size() == 1);
  CHECK(b.at_station(3).size() == 2);
  // A station cannot take over a configured address.
  b.send(3, from_address(data_bytes({3, 0}), mac_of(2)), 2 * kMillisecond);
  b.send({0, 2}, 2 * kMillisecond);
  b.run(3 * kMillisecond);
  CHECK(b.at_station(2).size() == 1);
  // Address 77 moves to station 1.
  b.send(1, from_address(data_bytes({1, 0}), mac_of(77)), 3 * kMillisecond);
  b.send(0, to_address(data_bytes({0, 1}), mac_of(77)), 3 * kMillisecond);
  b.run(4 * kMillisecond);
  CHECK(b.at_station(1).size() == 2);
  CHECK(b.conserved(4 * kMillisecond));
  CHECK(b.store.out == 0);
}

TEST_CASE("forwarding: truncated frames do no harm") {
  Bench b(two_switches());
  auto tagged = DataFrame{0, 3};
  tagged.vlan = roce::VlanTag{5, 3};
  auto v6 = DataFrame{0, 3};
  v6.v6 = true;
  Time now = 0;
  for (const auto& whole : {data_bytes({0, 3}), data_bytes(tagged), data_bytes(v6)}) {
    for (std::size_t n = 0; n < 120; ++n) {
      b.send(0, std::vector<std::uint8_t>(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n)),
             now);
      now += kMicrosecond;
    }
  }
  b.run(now + kMillisecond);
  CHECK(b.look(now).totals.dropped_unknown == 3 * 14);
  CHECK(b.at_station(3).size() == 3 * (120 - 14));
  CHECK(b.conserved(now));
}

TEST_CASE("forwarding: a full store costs copies, not the frame") {
  Bench b(two_switches());
  b.store.limit = 1;
  b.send(1, to_address(data_bytes({1, 0}), kBroadcast), 0);
  b.run(kMillisecond);
  CHECK(b.arrivals.size() == 1);
  CHECK(b.look(kMillisecond).totals.dropped_store != 0);
  CHECK(b.conserved(kMillisecond));
  CHECK(b.store.out == 0);
}

TEST_CASE("network: invalid topologies are refused") {
  const auto refused = [](const NetworkConfig& config) {
    TestStore store;
    CHECK_THROWS_AS(Network(config, store), std::invalid_argument);
  };
  auto config = two_switches();
  SECTION("loop") {
    config.links.push_back(config.links.back());
    refused(config);
  }
  SECTION("a link to itself") {
    config.links.back().b = config.links.back().a;
    refused(config);
  }
  SECTION("station with two links") {
    auto link = config.links[0];
    link.b = switch_(1);
    config.links.push_back(link);
    refused(config);
  }
  SECTION("station without a link") {
    config.links.erase(config.links.begin());
    refused(config);
  }
  SECTION("missing node") {
    config.links[0].b = switch_(9);
    refused(config);
  }
  SECTION("rate of zero") {
    config.links[0].rate = 0;
    refused(config);
  }
  SECTION("two stations on one address") {
    config.stations[2].mac = mac_of(0);
    refused(config);
  }
  SECTION("group address") {
    config.stations[2].mac = kBroadcast;
    refused(config);
  }
  SECTION("xon above xoff") {
    config.links[0].flow_control = fabric::PauseMode::kPfc;
    config.switches[0].pause = {1000, 1000, 0};
    refused(config);
  }
  SECTION("kmin above kmax") {
    config.switches[0].queues[3].ecn = {true, 2, 1};
    refused(config);
  }
}
