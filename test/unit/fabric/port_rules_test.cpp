// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/port_rules.hpp"

#include "multipath_fixture.hpp"
#include "pause_frames.hpp"
#include "roce/headers.hpp"

#include <stdexcept>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::test;

namespace {

/// Returns a frame of `payload` bytes from station 0 to 1.
std::vector<std::uint8_t> sized(std::uint32_t payload, std::optional<std::uint16_t> vlan = {}) {
  DataFrame f{0, 1, payload};
  if (vlan) f.vlan = roce::VlanTag{*vlan, 3};
  return data_bytes(f);
}

bool arrives(const NetworkConfig& config, const std::vector<std::uint8_t>& bytes) {
  Bench b(config);
  b.send(0, bytes, 0);
  b.run(kMillisecond);
  CHECK(b.conserved(kMillisecond));
  CHECK(b.store.out == 0);
  CHECK(b.arrivals.size() + b.snapshot.totals.dropped_rules == 1);
  return !b.arrivals.empty();
}

std::vector<std::uint8_t> with_ttl(const DataFrame& f, std::uint8_t ttl) {
  auto bytes = data_bytes(f);
  const std::size_t ip = f.vlan ? 18 : 14;
  bytes[ip + (f.v6 ? 7 : 8)] = ttl;
  if (!f.v6) {
    store_be16(&bytes[ip + 10], 0);
    store_be16(&bytes[ip + 10], roce::internet_checksum(ByteSpan(bytes).subspan(ip, roce::kIpv4Size)));
  }
  return bytes;
}

}  // namespace

TEST_CASE("MTU: longer frames are dropped and counted where they arrive") {
  NetworkConfig config = star(2);
  CHECK(arrives(config, sized(16'000)));
  // These IP packets have 44 + payload bytes.
  config.switches[0].mtu = 1500;
  CHECK(arrives(config, sized(1456)));
  CHECK_FALSE(arrives(config, sized(1460)));
  // A tag makes a frame longer, but not its packet.
  CHECK(arrives(config, sized(1456, 7)));
  CHECK_FALSE(arrives(config, sized(1460, 7)));
  config.switches[0].mtu_counts_tag = true;
  CHECK(arrives(config, sized(1456)));
  CHECK(arrives(config, sized(1452, 7)));
  CHECK_FALSE(arrives(config, sized(1456, 7)));
  Bench b(config);
  b.send(0, sized(2000), 0);
  b.run(kMillisecond);
  CHECK(b.look(kMillisecond).ports[0].rx_oversize == 1);
  CHECK(b.snapshot.ports[0].rx_packets == 1);
  CHECK(b.snapshot.ports[1].rx_oversize == 0);
}

TEST_CASE("MTU: that of each switch on the path applies") {
  NetworkConfig config = leaf_spine(1);
  config.switches[2].mtu = 1000;  // switch 2 is the spine
  Bench b(config);
  b.send({0, 1, 1024}, 0);
  b.send({0, 2, 1024}, 0);
  b.send({0, 2, 512}, 0);
  b.run(kMillisecond);
  CHECK(b.at_station(1).size() == 1);
  CHECK(b.at_station(2).size() == 1);
}

TEST_CASE("VLANs: a link carries the frames of its VLANs in both directions") {
  NetworkConfig config = star(2);
  config.links[1].vlans = {10, 20, 4094};
  for (const std::uint16_t vlan : {10, 20, 4094}) CHECK(arrives(config, sized(64, vlan)));
  for (const std::uint16_t vlan : {1, 11, 4093}) CHECK_FALSE(arrives(config, sized(64, vlan)));
  // These frames have no tag, or a tag that contains only a priority.
  CHECK(arrives(config, sized(64)));
  CHECK(arrives(config, sized(64, 0)));
  config.links[1].untagged = false;
  CHECK_FALSE(arrives(config, sized(64)));
  CHECK_FALSE(arrives(config, sized(64, 0)));
  CHECK(arrives(config, sized(64, 10)));

  Bench b(config);
  b.send(0, sized(64, 5), 0);  // dropped at the egress port
  b.send(1, sized(64, 5), 0);  // dropped at the ingress port
  b.run(kMillisecond);
  CHECK(b.look(kMillisecond).ports[1].vlan_dropped == 2);
  CHECK(b.snapshot.ports[0].vlan_dropped == 0);
}

TEST_CASE("VLANs: frames are flooded only to ports that carry their VLAN") {
  NetworkConfig config = star(4);
  config.links[1].vlans = {10};
  config.links[2].vlans = {20};
  Bench b(config);
  auto bytes = sized(64, 10);
  std::fill_n(bytes.begin(), 6, std::uint8_t{0xff});
  b.send(0, bytes, 0);
  b.run(kMillisecond);
  CHECK(b.at_station(1).size() == 1);
  CHECK(b.at_station(2).empty());
  CHECK(b.at_station(3).size() == 1);
  CHECK(b.look(kMillisecond).totals.dropped_rules == 0);
  CHECK(b.conserved(kMillisecond));
}

TEST_CASE("TTL: a switch that routes decrements it, with a right checksum") {
  const bool v6 = GENERATE(false, true);
  const bool tagged = GENERATE(false, true);
  NetworkConfig config = leaf_spine(1);
  DataFrame f{0, 2, 64};
  f.v6 = v6;
  if (tagged) f.vlan = roce::VlanTag{5, 3};
  for (const unsigned routers : {0U, 1U, 3U}) {
    for (std::uint32_t s = 0; s < 3; ++s) config.switches[s].routes = s < routers;
    for (const std::uint8_t ttl : {255, 64, 4}) {
      Bench b(config);
      b.send(0, with_ttl(f, ttl), 0);
      b.run(kMillisecond);
      REQUIRE(b.at_station(2).size() == 1);
      CHECK(b.at_station(2)[0].bytes == with_ttl(f, static_cast<std::uint8_t>(ttl - routers)));
    }
  }
}

TEST_CASE("TTL: a packet whose TTL reaches 0 is dropped") {
  NetworkConfig config = star(2);
  config.switches[0].routes = true;
  for (const bool v6 : {false, true}) {
    DataFrame f{0, 1, 64};
    f.v6 = v6;
    CHECK(arrives(config, with_ttl(f, 2)));
    CHECK_FALSE(arrives(config, with_ttl(f, 1)));
    CHECK_FALSE(arrives(config, with_ttl(f, 0)));
  }
  Bench b(config);
  b.send(0, with_ttl({0, 1, 64}, 1), 0);
  b.run(kMillisecond);
  CHECK(b.look(kMillisecond).ports[0].ttl_expired == 1);
}

TEST_CASE("TTL: wrong checksums stay wrong; frames that are not routed keep theirs") {
  NetworkConfig config = star(2);
  config.switches[0].routes = true;
  auto wrong = with_ttl({0, 1, 64}, 9);
  wrong[24] ^= 0x40;
  auto group = with_ttl({0, 1, 64}, 1);
  std::fill_n(group.begin(), 6, std::uint8_t{0xff});
  auto arp = with_ttl({0, 1, 64}, 1);
  arp[12] = 0x08;
  arp[13] = 0x06;
  Bench b(config);
  for (const auto& bytes : {wrong, group, arp}) b.send(0, bytes, 0);
  b.run(kMillisecond);
  REQUIRE(b.arrivals.size() == 3);
  auto expected = with_ttl({0, 1, 64}, 8);
  expected[24] ^= 0x40;
  CHECK(b.arrivals[0].bytes == expected);
  CHECK(b.arrivals[1].bytes == group);
  CHECK(b.arrivals[2].bytes == arp);
}

TEST_CASE("port rules: a switch that cuts through applies them once to each frame") {
  NetworkConfig config = star(2);
  auto& sw = config.switches[0];
  sw.times.cut_through = true;
  sw.times.pipeline = GENERATE(Time{0}, 300 * kNanosecond);
  sw.mtu = 1500;
  sw.routes = true;
  config.links[1].vlans = {10};
  Bench b(config);
  // The first frame finds an idle port; the second is stored, because the port is busy then.
  const Time second = 200 * kNanosecond;
  const auto send_both = [&](const std::vector<std::uint8_t>& bytes, Time now) {
    b.send(0, bytes, now);
    b.run(now + second);
    b.send(0, bytes, now + second);
    b.run(now + 100 * kMicrosecond);
  };
  DataFrame passing{0, 1, 1024};
  passing.vlan = roce::VlanTag{10, 3};
  send_both(with_ttl(passing, 7), 0);
  REQUIRE(b.arrivals.size() == 2);
  for (const auto& a : b.arrivals) CHECK(a.bytes == with_ttl(passing, 6));
  const Time wire = (1082 + 4 + 24) * 800;  // a frame with a tag, on the wire
  CHECK(b.arrivals[0].at == wire + 64 * 800 + 2 * kDelay + sw.times.pipeline);
  CHECK(b.arrivals[1].at == b.arrivals[0].at + wire);

  Time now = kMillisecond;
  for (const auto& bytes : {sized(1460, 10), sized(1024, 11), with_ttl(passing, 1)}) {
    send_both(bytes, now);
    now += kMillisecond;
  }
  CHECK(b.arrivals.size() == 2);
  CHECK(b.look(now).ports[0].rx_oversize == 2);
  CHECK(b.snapshot.ports[1].vlan_dropped == 2);
  CHECK(b.snapshot.ports[0].ttl_expired == 2);
  CHECK(b.conserved(now));
  CHECK(b.store.out == 0);
}

TEST_CASE("port rules: MAC control frames are not judged") {
  NetworkConfig config = star(2);
  config.links[0].flow_control = fabric::PauseMode::kPause;
  config.links[0].vlans = {10};
  config.links[0].untagged = false;
  Bench b(config);
  b.send(0, pause_frame(100), 0);
  b.run(kMillisecond);
  CHECK(b.look(kMillisecond).ports[0].pause_rx == 1);
  CHECK(b.snapshot.totals.dropped_rules == 0);
}

TEST_CASE("port rules: truncated frames do no harm") {
  NetworkConfig config = star(2);
  config.switches[0].routes = true;
  config.switches[0].mtu = 500;
  config.links[0].vlans = {5};
  Bench b(config);
  DataFrame tagged{0, 1, 64};
  tagged.vlan = roce::VlanTag{5, 3};
  DataFrame v6{0, 1, 64};
  v6.v6 = true;
  for (const auto& whole : {data_bytes({0, 1, 64}), data_bytes(tagged), data_bytes(v6)})
    for (std::ptrdiff_t n = 14; n < 100; ++n)
      b.send(0, std::vector<std::uint8_t>(whole.begin(), whole.begin() + n), 0);
  b.run(kMillisecond);
  CHECK(b.conserved(kMillisecond));
  CHECK(b.store.out == 0);
}

TEST_CASE("port rules: reserved VLANs are refused") {
  NetworkConfig config = star(2);
  config.links[0].vlans = {GENERATE(std::uint16_t{0}, std::uint16_t{4095})};
  TestStore store;
  CHECK_THROWS_AS(Network(config, store), std::invalid_argument);
}
