// SPDX-License-Identifier: BSD-3-Clause
#include "roce/frame.hpp"

#include "base/rng.hpp"
#include "roce/craft.hpp"
#include "roce/udp_source_port.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;

namespace {

std::vector<std::uint8_t> sample_frame(bool v6) {
  Path p;
  p.source_ip = *IpAddress::parse(v6 ? "fe80::1" : "10.0.0.1");
  p.dest_ip = *IpAddress::parse(v6 ? "fe80::2" : "10.0.0.2");
  const HeaderTemplate h(p);
  std::vector<std::uint8_t> frame(128);
  std::array<std::uint8_t, 8> trailer{};
  RequestPacket r;
  r.opcode = opcode(Transport::kRc, Operation::kWriteOnly);
  const Crafted c =
      craft_request(h, r, 5, kDefaultPkey, 9, nullptr, std::nullopt, frame.data(), trailer.data());
  frame.resize(c.header_length);
  frame.insert(frame.end(), trailer.begin(), trailer.begin() + c.trailer_length);
  return frame;
}

FrameKind kind_of(const std::vector<std::uint8_t>& f) { return parse_frame(ByteSpan(f)).kind; }

/// Recomputes the header checksum after a change.
void fix_ip(std::vector<std::uint8_t>& f) {
  f[24] = f[25] = 0;
  store_be16(&f[24], internet_checksum(ByteSpan(f).subspan(14, 20)));
}

}  // namespace

TEST_CASE("Ethernet padding after the datagram is removed", "[frame]") {
  auto f = sample_frame(false);
  const std::size_t n = parse_frame(ByteSpan(f)).datagram.size();
  f.resize(f.size() + 11, 0xee);
  const ParsedFrame p = parse_frame(ByteSpan(f));
  CHECK(p.datagram.size() == n);
  CHECK(icrc_matches(p));
}

TEST_CASE("every truncation of a frame is refused without reading past its end", "[frame]") {
  for (const bool v6 : {false, true}) {
    const auto whole = sample_frame(v6);
    for (std::size_t n = 0; n < whole.size(); ++n) {
      const std::vector<std::uint8_t> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n));
      CHECK(kind_of(cut) == FrameKind::kMalformed);
    }
    CHECK(kind_of(whole) == FrameKind::kUdp);
  }
}

TEST_CASE("wrong checksums, lengths, options and fragments", "[frame]") {
  const auto good = sample_frame(false);
  auto f = good;
  f[24] ^= 1;
  CHECK(kind_of(f) == FrameKind::kMalformed);  // wrong IPv4 header checksum
  f = good;
  f[14] = 0x46;
  CHECK(kind_of(f) == FrameKind::kOther);  // IPv4 header with options
  f = good;
  f[14] = 0x44;
  CHECK(kind_of(f) == FrameKind::kMalformed);  // header shorter than 20 bytes
  f = good;
  f[20] = 0x20;  // the flag MF (more fragments)
  fix_ip(f);
  CHECK(kind_of(f) == FrameKind::kOther);
  f = good;
  f[20] = 0;  // DF is not set
  fix_ip(f);
  CHECK(parse_frame(ByteSpan(f)).kind == FrameKind::kUdp);
  CHECK(parse_frame(ByteSpan(f)).may_fragment);
  CHECK_FALSE(parse_frame(ByteSpan(good)).may_fragment);
  f = good;
  store_be16(&f[38], 7);  // UDP length below its header
  CHECK(kind_of(f) == FrameKind::kMalformed);
  f = good;
  store_be16(&f[40], 0x1234);  // an invalid UDP checksum
  CHECK(kind_of(f) == FrameKind::kMalformed);
}

TEST_CASE("a valid UDP checksum is accepted for any segmentation", "[frame]") {
  for (const bool v6 : {false, true}) {
    auto f = sample_frame(v6);
    const std::size_t ip = 14;
    const std::size_t udp = ip + (v6 ? 40U : 20U);
    std::uint32_t sum = v6 ? checksum_add(0, ByteSpan(f).subspan(ip + 8, 32))
                           : checksum_add(0, ByteSpan(f).subspan(ip + 12, 8));
    sum += kIpProtocolUdp + static_cast<std::uint32_t>(f.size() - udp);
    store_be16(&f[udp + 6], internet_checksum(ByteSpan(f).subspan(udp), sum));
    CHECK(kind_of(f) == FrameKind::kUdp);
    for (std::size_t cut = 1; cut < f.size(); ++cut) {
      Segments s;
      s.push(ByteSpan(f).first(cut));
      s.push(ByteSpan(f).subspan(cut));
      CHECK(parse_frame(s).kind == FrameKind::kUdp);
    }
  }
}

TEST_CASE("UDP source ports: hashed as Linux does, fixed, range", "[frame]") {
  // As in Linux, the flow label is the product of the two QPNs, folded to 20 bits.
  const std::uint64_t product = 0x111222ULL * 0x333444ULL;
  std::uint64_t h = product ^ (product >> 20);
  h = h ^ (h >> 40);
  const auto fl = static_cast<std::uint32_t>(h & 0xfffff);
  CHECK(hashed_source_port(0x111222, 0x333444) == (((fl & 0x3fff) ^ ((fl & 0xfc000) >> 14)) | 0xc000));
  CHECK(source_port({SourcePortPolicy::Kind::kFixed, 4791, 0}, 3, 1, 2) == 4791);
  const SourcePortPolicy range{SourcePortPolicy::Kind::kRange, 0xc000, 0xc003};
  CHECK(source_port(range, 0, 1, 2) == 0xc000);
  CHECK(source_port(range, 3, 1, 2) == 0xc003);
  CHECK(source_port(range, 4, 1, 2) == 0xc000);
  for (Qpn q = 0; q < 1000; ++q) CHECK(hashed_source_port(q, q * 77) >= 0xc000);
}

TEST_CASE("addresses parse and print", "[frame]") {
  CHECK(IpAddress::parse("10.1.2.3")->to_string() == "10.1.2.3");
  CHECK(IpAddress::parse("fe80::1")->to_string() == "fe80::1");
  CHECK(IpAddress::parse("10.1.2.255")->plus(2).to_string() == "10.1.3.1");
  CHECK_FALSE(IpAddress::parse("10.1.2"));
  CHECK(to_string(*parse_mac("02:00:5e:AA:bb:01")) == "02:00:5e:aa:bb:01");
  CHECK_FALSE(parse_mac("02:00:5e:aa:bb"));
  CHECK_FALSE(parse_mac("02:00:5e:aa:bb:01:02"));
  CHECK(to_string(mac_plus(*parse_mac("02:00:5e:00:00:ff"), 1)) == "02:00:5e:00:01:00");
}

TEST_CASE("header template: a changed traffic class equals a path with it", "[frame]") {
  for (const char* ip : {"10.0.0.1", "fd00::1"}) {
    Path path;
    path.source_ip = *IpAddress::parse(ip);
    path.dest_ip = path.source_ip.plus(1);
    path.vlan = VlanTag{7, 1};
    path.dscp = 63;
    path.ecn = Ecn::kCe;
    HeaderTemplate changed(path);
    changed.set_traffic_class(26, Ecn::kEct0);
    path.dscp = 26;
    path.ecn = Ecn::kEct0;
    const HeaderTemplate made(path);
    std::array<std::uint8_t, HeaderTemplate::kMaxSize> a{}, b{};
    changed.write(a.data(), 100, 5);
    made.write(b.data(), 100, 5);
    CHECK(a == b);
  }
}
