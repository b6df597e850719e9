// SPDX-License-Identifier: BSD-3-Clause
#include "engine/host.hpp"

#include "engine/demux.hpp"
#include "engine/neighbour_discovery.hpp"

#include <numeric>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::engine;
using roce::IpAddress;

namespace {

Identity identity_of(const char* ip, std::uint8_t last_mac_byte) {
  Identity id;
  id.mac = {2, 0, 0, 0, 0, last_mac_byte};
  id.ip = *IpAddress::parse(ip);
  return id;
}

/// Returns the frames that the host wants to send.
std::vector<std::vector<std::uint8_t>> frames_of(Host& host) {
  std::vector<std::vector<std::uint8_t>> out;
  std::array<std::uint8_t, TxFrame::kHeaderRoom> room;
  for (;;) {
    std::array<TxFrame, 1> f{TxFrame{.header = room.data()}};
    if (host.poll(f) == 0) return out;
    std::vector<std::uint8_t> bytes(room.begin(), room.begin() + f[0].header_length);
    bytes.insert(bytes.end(), f[0].payload, f[0].payload + f[0].payload_length);
    out.push_back(bytes);
  }
}

std::vector<std::uint8_t> request_of(Host& host, const IpAddress& ip) {
  std::vector<std::uint8_t> room(TxFrame::kHeaderRoom);
  TxFrame f{.header = room.data()};
  host.write_request(ip, f);
  room.resize(f.header_length);
  return room;
}

std::vector<std::uint8_t> echo_request(const Identity& from, const Identity& to, std::size_t data) {
  std::vector<std::uint8_t> f(14 + 20 + 8 + data);
  std::copy(to.mac.begin(), to.mac.end(), f.begin());
  std::copy(from.mac.begin(), from.mac.end(), f.begin() + 6);
  store_be16(&f[12], 0x0800);
  f[14] = 0x45;
  store_be16(&f[16], static_cast<std::uint16_t>(28 + data));
  f[22] = 1;
  f[23] = 1;
  std::copy(from.ip.bytes.begin() + 12, from.ip.bytes.end(), f.begin() + 26);
  std::copy(to.ip.bytes.begin() + 12, to.ip.bytes.end(), f.begin() + 30);
  store_be16(&f[24], roce::internet_checksum(ByteSpan(f).subspan(14, 20)));
  f[34] = 8;
  std::iota(f.begin() + 42, f.end(), std::uint8_t{0});
  store_be16(&f[36], roce::internet_checksum(ByteSpan(f).subspan(34)));
  return f;
}

}  // namespace

TEST_CASE("two hosts find each other by ARP", "[host]") {
  Host a(identity_of("10.0.0.1", 1));
  Host b(identity_of("10.0.0.2", 2));
  const auto question = request_of(a, b.identity().ip);
  const auto parsed = roce::parse_frame(ByteSpan(question));
  CHECK(parsed.dest_mac == roce::MacAddress{0xff, 0xff, 0xff, 0xff, 0xff, 0xff});
  CHECK(b.on_arp(parsed, 0) == a.identity().ip);
  const auto answer = frames_of(b);
  REQUIRE(answer.size() == 1);
  CHECK(a.on_arp(roce::parse_frame(ByteSpan(answer[0])), 0) == b.identity().ip);
  CHECK(a.neighbours().find(b.identity().ip, 0) == b.identity().mac);
  CHECK(b.neighbours().find(a.identity().ip, 0) == a.identity().mac);
  CHECK_FALSE(a.neighbours().find(b.identity().ip, NeighbourTable::kLifetime));
}

TEST_CASE("ARP for others, truncated or claiming our address, is ignored", "[host]") {
  Host a(identity_of("10.0.0.1", 1));
  Host b(identity_of("10.0.0.2", 2));
  const auto question = request_of(a, *IpAddress::parse("10.0.0.3"));
  CHECK_FALSE(b.on_arp(roce::parse_frame(ByteSpan(question)), 0));
  for (std::size_t n = 14; n < question.size(); ++n) {
    CHECK_FALSE(b.on_arp(roce::parse_frame(ByteSpan(question).first(n)), 0));
  }
  Host twin(identity_of("10.0.0.2", 9));
  const auto own = request_of(twin, *IpAddress::parse("10.0.0.2"));
  CHECK_FALSE(b.on_arp(roce::parse_frame(ByteSpan(own)), 0));
  CHECK(frames_of(b).empty());
}

TEST_CASE("ping is answered, including jumbo; a broken one is not", "[host]") {
  const Identity peer = identity_of("10.0.0.9", 9);
  Host host(identity_of("10.0.0.1", 1));
  for (const std::size_t size : {0U, 56U, 1472U, 8972U}) {
    auto request = echo_request(peer, host.identity(), size);
    REQUIRE(host.on_icmp(roce::parse_frame(ByteSpan(request))));
    const auto answers = frames_of(host);
    REQUIRE(answers.size() == 1);
    const auto reply = roce::parse_frame(ByteSpan(answers[0]));
    REQUIRE(reply.kind == roce::FrameKind::kIcmp);
    CHECK(reply.dest_mac == peer.mac);
    CHECK(reply.dest_ip == peer.ip);
    CHECK(reply.source_ip == host.identity().ip);
    std::vector<std::uint8_t> icmp(reply.content.size());
    reply.content.copy(0, icmp.size(), icmp.data());
    CHECK(icmp[0] == 0);
    CHECK(roce::internet_checksum(icmp) == 0);
    CHECK(std::equal(icmp.begin() + 8, icmp.end(), request.begin() + 42));
    request[36] ^= 1;
    CHECK_FALSE(host.on_icmp(roce::parse_frame(ByteSpan(request))));
  }
}

TEST_CASE("two hosts find each other by IPv6 neighbour discovery", "[host]") {
  Host a(identity_of("fd00::1:1", 1));
  Host b(identity_of("fd00::1:2", 2));
  const auto question = request_of(a, b.identity().ip);
  const auto asked = roce::parse_frame(ByteSpan(question));
  CHECK(asked.dest_mac == roce::MacAddress{0x33, 0x33, 0xff, 1, 0, 2});
  CHECK(asked.dest_ip == *IpAddress::parse("ff02::1:ff01:2"));
  std::optional<IpAddress> learned;
  REQUIRE(b.on_discovery(asked, 0, learned));
  CHECK(learned == a.identity().ip);
  const auto answer = frames_of(b);
  REQUIRE(answer.size() == 1);
  learned.reset();
  REQUIRE(a.on_discovery(roce::parse_frame(ByteSpan(answer[0])), 0, learned));
  CHECK(learned == b.identity().ip);
  CHECK(a.neighbours().find(b.identity().ip, 0) == b.identity().mac);
  CHECK(b.neighbours().find(a.identity().ip, 0) == a.identity().mac);
}

TEST_CASE("neighbour discovery that was routed, broken, truncated or for others is ignored", "[host]") {
  Host a(identity_of("fd00::1:1", 1));
  Host b(identity_of("fd00::1:2", 2));
  const auto good = request_of(a, b.identity().ip);
  const auto believed = [&](const std::vector<std::uint8_t>& f) {
    std::optional<IpAddress> learned;
    return b.on_discovery(roce::parse_frame(ByteSpan(f)), 0, learned);
  };
  // Corrupt, one at a time, the bytes at the offsets of hop limit, type, checksum, target and option.
  for (const std::size_t at : {21U, 54U, 56U, 62U, 80U}) {
    auto f = good;
    f[at] ^= 1;
    CHECK_FALSE(believed(f));
  }
  for (std::size_t n = 0; n < good.size(); ++n) CHECK_FALSE(believed({good.begin(), good.begin() + n}));
  CHECK_FALSE(believed(request_of(a, *IpAddress::parse("fd00::1:3"))));
  CHECK(frames_of(b).empty());
  CHECK(believed(good));
}

TEST_CASE("IPv6 ping is answered", "[host]") {
  const Identity peer = identity_of("fd00::1:9", 9);
  Host host(identity_of("fd00::1:1", 1));
  std::vector<std::uint8_t> f(14 + 40 + 8 + 1000);
  std::copy(host.identity().mac.begin(), host.identity().mac.end(), f.begin());
  std::copy(peer.mac.begin(), peer.mac.end(), f.begin() + 6);
  store_be16(&f[12], 0x86dd);
  f[14] = 0x60;
  store_be16(&f[18], 1008);
  f[20] = 58;
  f[21] = 64;
  std::copy(peer.ip.bytes.begin(), peer.ip.bytes.end(), f.begin() + 22);
  std::copy(host.identity().ip.bytes.begin(), host.identity().ip.bytes.end(), f.begin() + 38);
  f[54] = 128;
  std::iota(f.begin() + 62, f.end(), std::uint8_t{0});
  store_be16(&f[56], icmpv6_checksum(peer.ip, host.identity().ip, ByteSpan(f).subspan(54)));
  REQUIRE(host.on_icmp(roce::parse_frame(ByteSpan(f))));
  const auto answers = frames_of(host);
  REQUIRE(answers.size() == 1);
  const auto reply = roce::parse_frame(ByteSpan(answers[0]));
  CHECK(reply.dest_ip == peer.ip);
  CHECK(reply.source_ip == host.identity().ip);
  std::vector<std::uint8_t> icmp(reply.content.size());
  reply.content.copy(0, icmp.size(), icmp.data());
  CHECK(icmp[0] == 129);
  CHECK(icmpv6_checksum(reply.source_ip, reply.dest_ip, icmp) == 0);
  f[60] ^= 1;
  CHECK_FALSE(host.on_icmp(roce::parse_frame(ByteSpan(f))));
}

TEST_CASE("a flood of requests uses bounded memory and is counted", "[host]") {
  const Identity peer = identity_of("10.0.0.9", 9);
  Host host(identity_of("10.0.0.1", 1));
  const auto request = echo_request(peer, host.identity(), 56);
  for (int i = 0; i < 1000; ++i) CHECK(host.on_icmp(roce::parse_frame(ByteSpan(request))));
  CHECK(frames_of(host).size() < 100);
  CHECK(host.counters().answers_dropped > 900);
}

TEST_CASE("the neighbour table is bounded; static entries stay", "[host]") {
  NeighbourTable t;
  const IpAddress fixed = *IpAddress::parse("192.168.0.1");
  t.set_static(fixed, {1, 1, 1, 1, 1, 1});
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    t.learn(IpAddress::from_v4(0x0a000000 + i), {2, 0, 0, 0, 0, 1}, i);
  }
  CHECK(t.size() == NeighbourTable::kLearned + 1);
  CHECK(t.find(fixed, kNever - 1) == roce::MacAddress{1, 1, 1, 1, 1, 1});
  CHECK(t.find(IpAddress::from_v4(0x0a000000 + 9'999), 9'999));
  t.learn(fixed, {3, 3, 3, 3, 3, 3}, 0);
  CHECK(t.find(fixed, 0) == roce::MacAddress{1, 1, 1, 1, 1, 1});
}

TEST_CASE("the neighbour table holds every static entry, and the newest learned ones", "[host]") {
  NeighbourTable t;
  const auto mac_of = [](std::uint32_t i) { return roce::mac_plus({2, 0, 0, 0, 0, 0}, i); };
  for (std::uint32_t i = 0; i < 1000; ++i) t.set_static(IpAddress::from_v4(0x0a000000 + i), mac_of(i));
  for (std::uint32_t i = 0; i < 1000; ++i) t.learn(IpAddress::from_v4(0x0b000000 + i), mac_of(i), 0);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    CHECK(t.find(IpAddress::from_v4(0x0a000000 + i), 0) == mac_of(i));
    const auto learned = t.find(IpAddress::from_v4(0x0b000000 + i), 0);
    CHECK(learned.has_value() == (i >= 1000 - NeighbourTable::kLearned));
    if (learned) CHECK(learned == mac_of(i));
  }
  t.set_static(IpAddress::from_v4(0x0a000007), mac_of(9999));
  CHECK(t.find(IpAddress::from_v4(0x0a000007), 0) == mac_of(9999));
  CHECK(t.size() == 1000 + NeighbourTable::kLearned);
}

TEST_CASE("each requester gets one answer, however often it asks; a flood of requesters is bounded",
          "[host]") {
  const IpAddress ours = *IpAddress::parse("10.0.0.1");
  Host host(identity_of("10.0.0.1", 1));
  const auto asks = [&](const char* ip, std::uint8_t mac) {
    Host asker(identity_of(ip, mac));
    host.on_arp(roce::parse_frame(ByteSpan(request_of(asker, ours))), 0);
  };
  for (int i = 0; i < 1000; ++i) asks("10.0.0.2", 2);
  asks("10.0.0.3", 3);
  asks("10.0.0.2", 22);  // a second station with the same IP address also gets an answer
  CHECK(frames_of(host).size() == 3);
  CHECK(host.counters().answers_dropped == 0);
  Identity id = identity_of("10.0.0.2", 2);
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    id.ip = id.ip.plus(1);
    Host asker(id);
    host.on_arp(roce::parse_frame(ByteSpan(request_of(asker, ours))), 0);
  }
  CHECK(frames_of(host).size() == NeighbourAnswers::kMost);
  CHECK(host.counters().answers_dropped == 10'000 - NeighbourAnswers::kMost);
  asks("10.0.0.2", 2);
  CHECK(frames_of(host).size() == 1);
}

TEST_CASE("next hop: directly on the subnet, else the gateway", "[host]") {
  Identity id = identity_of("10.1.2.3", 1);
  id.prefix_length = 16;
  id.gateway = *IpAddress::parse("10.1.0.1");
  CHECK(id.next_hop(*IpAddress::parse("10.1.255.9")) == *IpAddress::parse("10.1.255.9"));
  CHECK(id.next_hop(*IpAddress::parse("10.2.0.1")) == *id.gateway);
  id.gateway.reset();
  CHECK(id.next_hop(*IpAddress::parse("10.2.0.1")) == *IpAddress::parse("10.2.0.1"));
}

TEST_CASE("pause frames find the endpoints of a MAC address, or all", "[demux]") {
  Demux demux;
  for (std::uint32_t i = 0; i < 9; ++i) {
    Identity id = identity_of("10.0.0.1", 1);
    id.ip = id.ip.plus(i);
    id.mac = roce::mac_plus({2, 0, 0, 0, 0, 0}, 8 - i / 2);  // two endpoints share each MAC address
    REQUIRE(demux.insert(id, i));
  }
  const auto paused = [&demux](const roce::MacAddress& mac) {
    std::vector<std::uint32_t> out;
    demux.for_each_paused(mac, [&out](std::uint32_t e) { out.push_back(e); });
    std::sort(out.begin(), out.end());
    return out;
  };
  CHECK(paused({2, 0, 0, 0, 0, 7}) == std::vector<std::uint32_t>{2, 3});
  CHECK(paused({2, 0, 0, 0, 0, 4}) == std::vector<std::uint32_t>{8});
  CHECK(paused({2, 0, 0, 0, 0, 3}).empty());
  CHECK(paused({2, 0, 0, 0, 0, 9}).empty());
  CHECK(paused(roce::kPauseAddress).size() == 9);
}

TEST_CASE("frames find their endpoint by VLAN and address", "[demux]") {
  Demux demux;
  std::vector<Identity> ids;
  for (std::uint32_t i = 0; i < 500; ++i) {
    Identity id = identity_of("10.0.0.1", 1);
    id.ip = id.ip.plus(i / 2);
    if (i % 2 == 1) id.vlan = roce::VlanTag{7, 0};
    REQUIRE(demux.insert(id, i));
    ids.push_back(id);
  }
  CHECK_FALSE(demux.insert(ids[3], 1000));
  for (std::uint32_t i = 0; i < ids.size(); ++i) {
    roce::ParsedFrame f;
    f.kind = roce::FrameKind::kUdp;
    f.vlan = ids[i].vlan;
    f.dest_ip = ids[i].ip;
    CHECK(demux.find(f) == i);
    f.vlan = roce::VlanTag{8, 0};
    CHECK(demux.find(f) == Demux::kNobody);
  }
}
