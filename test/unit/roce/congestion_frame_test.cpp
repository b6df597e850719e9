// SPDX-License-Identifier: BSD-3-Clause
#include "roce/congestion_frame.hpp"

#include "roce/icrc.hpp"

#include <cstring>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;

namespace {

using Bytes = std::vector<std::uint8_t>;

Path cch_path(bool v6, bool vlan) {
  Path p;
  p.source_ip = *IpAddress::parse(v6 ? "fd00::1" : "10.0.0.1");
  p.dest_ip = *IpAddress::parse(v6 ? "fd00::2" : "10.0.0.2");
  if (vlan) p.vlan = VlanTag{100, 0};
  return p;
}

/// Returns a BTH and 64 bytes of payload.
Bytes cch_transport() {
  Bytes b(Bth::kSize + 64, 0x5a);
  Bth bth;
  bth.opcode = 7;
  bth.dest_qp = 0x800;
  bth.psn = 0x123456;
  bth.encode(b.data());
  return b;
}

/// Returns a frame with `cch` between UDP header and BTH. The iCRC of the frame does not cover `cch`.
Bytes cch_frame(Path path, const Bytes& cch) {
  const Bytes body = cch_transport();
  const HeaderTemplate plain(path);
  Bytes standard(plain.size());
  plain.write(standard.data(), static_cast<std::uint32_t>(body.size() + kIcrcSize), 9);
  standard.insert(standard.end(), body.begin(), body.end());
  const std::uint32_t icrc = icrc_of(ByteSpan(standard).subspan(plain.ip_offset()));

  path.udp_dest_port = cch.empty() ? kRoceUdpPort : kCongestionUdpPort;
  const HeaderTemplate outer(path);
  Bytes frame(outer.size());
  outer.write(frame.data(), static_cast<std::uint32_t>(cch.size() + body.size() + kIcrcSize), 9);
  frame.insert(frame.end(), cch.begin(), cch.end());
  frame.insert(frame.end(), body.begin(), body.end());
  frame.resize(frame.size() + kIcrcSize);
  store_le32(&frame[frame.size() - kIcrcSize], icrc);
  return frame;
}

Bytes fresh_cch() {
  Bytes b(CongestionHeader::kMaxSize);
  b.resize(write_int_header(b.data()));
  return b;
}

Bytes gathered(const Segments& s) {
  Bytes out(s.size());
  s.copy(0, out.size(), out.data());
  return out;
}

}  // namespace

TEST_CASE("without its CCH a frame is the standard packet, on every path and however it is split", "[cch]") {
  for (const bool v6 : {false, true}) {
    for (const bool vlan : {false, true}) {
      const Path path = cch_path(v6, vlan);
      const Bytes standard = cch_frame(path, {});
      const Bytes extended = cch_frame(path, fresh_cch());
      const ParsedFrame wanted = parse_frame(ByteSpan(standard));
      REQUIRE(icrc_matches(wanted));
      for (std::size_t cut = 1; cut < extended.size(); ++cut) {
        Segments split(ByteSpan(extended).first(cut));
        split.push(ByteSpan(extended).subspan(cut));
        ParsedFrame frame = parse_frame(split);
        REQUIRE(frame.kind == FrameKind::kUdp);
        REQUIRE(frame.dest_port == kCongestionUdpPort);
        CchScratch scratch;
        const auto header = decode_congestion_header(frame, scratch);
        REQUIRE(header);
        PlainHeaders headers;
        REQUIRE(remove_congestion_header(frame, header->size(), headers));
        CHECK(icrc_matches(frame));
        CHECK(frame.dest_port == kRoceUdpPort);
        CHECK(gathered(frame.datagram) == gathered(wanted.datagram));
        CHECK(gathered(frame.content) == gathered(wanted.content));
      }
    }
  }
}

TEST_CASE("switches may change the CCH; any other change breaks the iCRC", "[cch]") {
  const Bytes cch = fresh_cch();
  Bytes bytes = cch_frame(cch_path(false, false), cch);
  const std::size_t at = kEthernetSize + kIpv4Size + kUdpHeaderSize;
  REQUIRE(add_hop(MutableByteSpan(bytes).subspan(at), congestion::IntRecord::of(1'250'000'000, 1, 2, 3), 4));
  const auto matches = [&](const Bytes& b) {
    ParsedFrame frame = parse_frame(ByteSpan(b));
    PlainHeaders headers;
    return remove_congestion_header(frame, cch.size(), headers) && icrc_matches(frame);
  };
  CHECK(matches(bytes));
  bytes[at + cch.size() + Bth::kSize] ^= 1;
  CHECK_FALSE(matches(bytes));
}

TEST_CASE("a frame too short for BTH and iCRC behind its CCH is refused", "[cch]") {
  const Bytes whole = cch_frame(cch_path(false, false), fresh_cch());
  ParsedFrame frame = parse_frame(ByteSpan(whole));
  const Segments all = frame.content;
  PlainHeaders headers;
  for (std::size_t n = 0; n < 48 + Bth::kSize + kIcrcSize; ++n) {
    frame.content = all.sub(0, n);
    CHECK_FALSE(remove_congestion_header(frame, 48, headers));
    CHECK(frame.dest_port == kCongestionUdpPort);
  }
  frame.content = Segments();
  CchScratch scratch;
  CHECK_FALSE(decode_congestion_header(frame, scratch));
}

TEST_CASE("a frame in too many ranges is refused", "[cch]") {
  const Bytes whole = cch_frame(cch_path(false, false), fresh_cch());
  Segments split;
  const std::size_t first = whole.size() - (Segments::kMax - 1);
  REQUIRE(split.push(ByteSpan(whole).first(first)));
  for (std::size_t i = first; i < whole.size(); ++i) REQUIRE(split.push(ByteSpan(whole).subspan(i, 1)));
  ParsedFrame frame = parse_frame(split);
  REQUIRE(frame.kind == FrameKind::kUdp);
  PlainHeaders headers;
  CHECK_FALSE(remove_congestion_header(frame, 48, headers));
}
