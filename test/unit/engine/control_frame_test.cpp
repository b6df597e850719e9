// SPDX-License-Identifier: BSD-3-Clause
#include "engine/control_frame.hpp"

#include "base/rng.hpp"
#include "engine/endpoint.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::engine;

namespace {

Identity identity(bool v6, bool vlan, std::uint8_t last) {
  Identity id;
  id.mac = {2, 0, 0, 0, 0, last};
  id.ip = roce::IpAddress::parse(v6 ? "fd00::" : "10.0.0.0")->plus(last);
  if (vlan) id.vlan = roce::VlanTag{100, 5};
  return id;
}

std::vector<std::uint8_t> frame(const Identity& from, const Identity& to, ByteSpan payload,
                                std::uint16_t dest_port = 8192, std::uint16_t source_port = 40000) {
  std::vector<std::uint8_t> out(control_frame_overhead(from) + payload.size(), 0xee);
  const DatagramRoute route{to.mac, to.ip, dest_port, source_port};
  REQUIRE(write_control_frame(from, route, payload, 7, out.data()) == out.size());
  return out;
}

std::vector<std::uint8_t> random_payload(Rng& rng, std::size_t n) {
  std::vector<std::uint8_t> out(n);
  for (auto& b : out) b = static_cast<std::uint8_t>(rng.next());
  return out;
}

/// Returns the one's complement sum over pseudo header and datagram. A UDP receiver computes this sum to
/// verify the checksum; if the checksum in the datagram is correct, the sum is 0xffff.
std::uint16_t udp_sum(const std::vector<std::uint8_t>& f, std::size_t ip, bool v6) {
  const std::size_t udp = ip + (v6 ? 40U : 20U);
  std::uint32_t sum = v6 ? roce::checksum_add(0, ByteSpan(f).subspan(ip + 8, 32))
                         : roce::checksum_add(0, ByteSpan(f).subspan(ip + 12, 8));
  sum += 17 + static_cast<std::uint32_t>(f.size() - udp);
  return static_cast<std::uint16_t>(~roce::internet_checksum(ByteSpan(f).subspan(udp), sum));
}

}  // namespace

TEST_CASE("frames written are read back, IPv4 and IPv6, with and without VLAN", "[control-frame]") {
  Rng rng(1);
  for (const bool v6 : {false, true}) {
    for (const bool vlan : {false, true}) {
      for (const std::size_t n : {0, 1, 8, 24, 1023, 1024, 8192}) {
        const auto payload = random_payload(rng, n);
        const Identity from = identity(v6, vlan, 1);
        const auto f = frame(from, identity(v6, vlan, 2), payload, n % 2 == 0 ? 8192 : 8193);
        const auto d = parse_control_datagram(ByteSpan(f));
        REQUIRE(d);
        CHECK(d->source_mac == from.mac);
        CHECK(d->source_ip == from.ip);
        CHECK(d->source_port == 40000);
        CHECK(d->dest_port == (n % 2 == 0 ? 8192 : 8193));
        std::vector<std::uint8_t> got(d->payload.size());
        d->payload.copy(0, got.size(), got.data());
        CHECK(got == payload);
        const std::size_t ip = vlan ? 18 : 14;
        CHECK(udp_sum(f, ip, v6) == 0xffff);
        if (vlan) CHECK(load_be16(&f[14]) == (5 << 13 | 100));
        if (!v6) CHECK(load_be16(&f[ip + 6]) == 0x4000);            // only DF is set
        CHECK((v6 ? load_be16(&f[ip]) & 0x0ff0 : f[ip + 1]) == 0);  // DSCP and ECN are 0
        CHECK(f[ip + (v6 ? 7 : 8)] == 64);                          // TTL or hop limit
        CHECK(load_be16(&f[ip + (v6 ? 46 : 26)]) != 0);             // the UDP checksum is never 0
      }
    }
  }
}

TEST_CASE("a checksum of 0 is sent as 0xffff", "[control-frame]") {
  const Identity from = identity(false, false, 1);
  std::vector<std::uint8_t> payload{0, 0};
  // Compute the checksum for a payload of zeros, and send this checksum as the payload. The sum over the
  // datagram is then 0xffff, and the complement of the sum, which is the checksum, would be 0.
  const auto probe = frame(from, identity(false, false, 2), payload);
  payload = {probe[40], probe[41]};
  const auto f = frame(from, identity(false, false, 2), payload);
  CHECK(load_be16(&f[40]) == 0xffff);
  CHECK(parse_control_datagram(ByteSpan(f)));
}

TEST_CASE("a checksum left to hardware is accepted, any other wrong one is not", "[control-frame]") {
  for (const bool v6 : {false, true}) {
    const auto payload = std::vector<std::uint8_t>(100, 0x5a);
    auto f = frame(identity(v6, false, 1), identity(v6, false, 2), payload);
    const std::size_t udp = v6 ? 54 : 34;
    std::uint32_t sum = v6 ? roce::checksum_add(0, ByteSpan(f).subspan(22, 32))
                           : roce::checksum_add(0, ByteSpan(f).subspan(26, 8));
    sum += 17 + 108;
    store_be16(&f[udp + 6], static_cast<std::uint16_t>(~roce::internet_checksum({}, sum)));
    CHECK(parse_control_datagram(ByteSpan(f)));
    f[udp + 7] ^= 1;
    CHECK_FALSE(parse_control_datagram(ByteSpan(f)));
  }
}

TEST_CASE("other ports, invalid senders and truncated frames are rejected", "[control-frame]") {
  const Identity board = identity(false, false, 2);
  const Identity peer = identity(false, false, 1);
  const std::vector<std::uint8_t> payload(32, 1);
  CHECK(parse_control_datagram(ByteSpan(frame(peer, board, payload))));
  CHECK_FALSE(parse_control_datagram(ByteSpan(frame(peer, board, payload, 8194))));
  CHECK_FALSE(parse_control_datagram(ByteSpan(frame(peer, board, payload, 4791))));
  CHECK_FALSE(parse_control_datagram(ByteSpan(frame(peer, board, payload, 8192, 0))));
  for (const char* ip : {"0.0.0.0", "224.0.0.1", "255.255.255.255"}) {
    Identity odd = peer;
    odd.ip = *roce::IpAddress::parse(ip);
    CHECK_FALSE(parse_control_datagram(ByteSpan(frame(odd, board, payload))));
  }
  Identity group = peer;
  group.mac[0] = 3;
  CHECK_FALSE(parse_control_datagram(ByteSpan(frame(group, board, payload))));
  const auto whole = frame(peer, board, payload);
  for (std::size_t n = 0; n < whole.size(); ++n)
    CHECK_FALSE(parse_control_datagram(ByteSpan(whole).first(n)));
  auto fragment = whole;
  fragment[20] = 0x20;  // sets the flag MF (more fragments)
  store_be16(&fragment[24], 0);
  store_be16(&fragment[24], roce::internet_checksum(ByteSpan(fragment).subspan(14, 20)));
  CHECK_FALSE(parse_control_datagram(ByteSpan(fragment)));
}

TEST_CASE("the longest datagram for an MTU", "[control-frame]") {
  CHECK(max_udp_payload(1500, false) == 1472);
  CHECK(max_udp_payload(9000, false) == 8972);
  CHECK(max_udp_payload(9000, true) == 8952);
  CHECK(max_udp_payload(28, false) == 0);
  CHECK(control_frame_overhead(identity(false, false, 1)) == 42);
  CHECK(control_frame_overhead(identity(true, true, 1)) == 66);
}
