// SPDX-License-Identifier: BSD-3-Clause
// Builds packets with tables and with carry-less multiplication. Both results must be equal for packets of
// all kinds and sizes.
#include "base/rng.hpp"
#include "roce/clmul.hpp"
#include "roce/clmul_reduce.hpp"
#include "roce/cpu.hpp"
#include "roce/craft.hpp"
#include "roce/crc_table.hpp"
#include "roce/frame.hpp"
#include "roce/icrc.hpp"
#include "roce/middle_frame.hpp"
#include "roce/shift_table.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;

namespace {

constexpr std::uint8_t kUntouched = 0xa5;

std::uint32_t word(Rng& rng) { return static_cast<std::uint32_t>(rng.next()); }

/// Returns random headers. `kind` selects the address family, and whether there is a VLAN tag.
HeaderTemplate some_headers(Rng& rng, unsigned kind) {
  Path p;
  std::array<std::uint8_t, 16> a, b;
  for (auto& x : a) x = static_cast<std::uint8_t>(rng.next());
  for (auto& x : b) x = static_cast<std::uint8_t>(rng.next());
  const bool v6 = (kind & 1) != 0;
  p.source_ip = v6 ? IpAddress::from_v6_wire(a.data()) : IpAddress::from_v4_wire(a.data());
  p.dest_ip = v6 ? IpAddress::from_v6_wire(b.data()) : IpAddress::from_v4_wire(b.data());
  if ((kind & 2) != 0) p.vlan = VlanTag{static_cast<std::uint16_t>(1 + rng.below(4094)), 5};
  p.dscp = static_cast<std::uint8_t>(rng.below(64));
  p.ttl = static_cast<std::uint8_t>(1 + rng.below(255));
  p.udp_source_port = static_cast<std::uint16_t>(rng.next());
  HeaderTemplate h(p);
  h.set_dest_mac({static_cast<std::uint8_t>(rng.next()), 1, 2, 3, 4, 5});
  if (rng.chance(1U << 31)) h.set_traffic_class(static_cast<std::uint8_t>(rng.below(64)), Ecn::kEct1);
  return h;
}

RequestPacket some_request(Rng& rng, std::uint8_t op, std::uint32_t length) {
  RequestPacket r;
  r.opcode = opcode(rng.chance(1U << 31) ? Transport::kRc : Transport::kUc, static_cast<Operation>(op));
  r.ack_req = rng.chance(1U << 31);
  r.solicited = rng.chance(1U << 31);
  r.psn = word(rng) & kPsnMask;
  r.reth = {rng.next(), word(rng), word(rng)};
  r.immediate = word(rng);
  r.payload_length = length;
  return r;
}

struct Made {
  std::vector<std::uint8_t> header = std::vector<std::uint8_t>(160, kUntouched);
  std::array<std::uint8_t, 8> trailer{};
  Crafted size;

  std::vector<std::uint8_t> head() const { return {header.begin(), header.begin() + size.header_length}; }
  std::vector<std::uint8_t> tail() const { return {trailer.begin(), trailer.begin() + size.trailer_length}; }
};

void require_same(const Made& a, const Made& b) {
  REQUIRE(a.head() == b.head());
  REQUIRE(a.tail() == b.tail());
  REQUIRE(a.header[a.size.header_length] == kUntouched);
  REQUIRE(b.header[b.size.header_length] == kUntouched);
}

/// Builds a packet with each of two methods, with and without a known payload CRC. All four results must be
/// equal.
void require_one_packet(Rng& rng, const HeaderTemplate& headers, const RequestPacket& p,
                        const std::vector<std::uint8_t>& stream) {
  const auto qpn = word(rng) & kPsnMask;
  const auto pkey = static_cast<std::uint16_t>(rng.next());
  const auto id = static_cast<std::uint16_t>(rng.next());
  const ByteSpan payload = ByteSpan(stream).first(p.payload_length);
  const std::uint32_t crc = crc32_of_pad(crc32_by_table(0, payload), p.pad_count());
  Made made[4];
  for (int i = 0; i < 4; ++i) {
    const auto known = i < 2 ? std::optional(crc) : std::nullopt;
    const bool folded = i % 2 == 0 && clmul::callable();
    const auto craft = folded ? craft_request_pclmul : craft_request_portable;
    made[i].size = craft(headers, p, qpn, pkey, id, payload.data(), known, made[i].header.data(),
                         made[i].trailer.data());
  }
  for (int i = 1; i < 4; ++i) require_same(made[0], made[i]);

  auto frame = made[0].head();
  frame.insert(frame.end(), payload.begin(), payload.end());
  const auto tail = made[0].tail();
  frame.insert(frame.end(), tail.begin(), tail.end());
  const ParsedFrame parsed = parse_frame(ByteSpan(frame));
  REQUIRE(parsed.kind == FrameKind::kUdp);  // otherwise, a length or checksum is invalid
  REQUIRE(icrc_matches(parsed));
  const TransportPacket t = parse_transport(transport_bytes(parsed));
  REQUIRE(t.kind == TransportKind::kRequest);
  REQUIRE(t.request.bth.psn == p.psn);
  REQUIRE(t.request.bth.ack_req == p.ack_req);
  REQUIRE(t.request.bth.solicited == p.solicited);
  REQUIRE(t.request.bth.pkey == pkey);
  REQUIRE(t.request.bth.dest_qp == qpn);
  const Operation op = opcode_operation(p.opcode);
  if (has_reth(op)) {
    REQUIRE(t.request.reth.virtual_address == p.reth.virtual_address);
    REQUIRE(t.request.reth.rkey == p.reth.rkey);
    REQUIRE(t.request.reth.dma_length == p.reth.dma_length);
  }
  if (has_immediate(op)) REQUIRE(t.request.immediate == p.immediate);
}

}  // namespace

TEST_CASE("tables and carry-less multiplication give equal requests of every shape", "[craft]") {
  if (!clmul::callable()) WARN("no PCLMULQDQ here: only the portable way runs");
  Rng rng(21);
  std::vector<std::uint8_t> stream(4096);
  for (auto& b : stream) b = static_cast<std::uint8_t>(rng.next());
  for (unsigned kind = 0; kind < 4; ++kind) {
    for (std::uint8_t op = 0; op <= static_cast<std::uint8_t>(Operation::kWriteOnlyImm); ++op) {
      const HeaderTemplate headers = some_headers(rng, kind);
      for (const std::uint32_t length :
           {0U, 1U, 2U, 3U, 4U, 5U, 255U, 256U, 512U, 1024U, 2048U, 4093U, 4094U, 4096U})
        require_one_packet(rng, headers, some_request(rng, op, length), stream);
      for (int i = 0; i < 8; ++i)
        require_one_packet(rng, headers, some_request(rng, op, static_cast<std::uint32_t>(rng.below(4097))),
                           stream);
    }
  }
}

TEST_CASE("frames from the middle of messages equal those of craft_request()", "[craft]") {
  if (!clmul::callable()) {
    WARN("no PCLMULQDQ here: such frames are not used");
    return;
  }
  Rng rng(33);
  std::vector<std::uint8_t> stream(4096);
  for (auto& b : stream) b = static_cast<std::uint8_t>(rng.next());
  for (unsigned i = 0; i < 200; ++i) {
    HeaderTemplate headers = some_headers(rng, i);
    const Operation op = rng.below(2) == 0 ? Operation::kWriteMiddle : Operation::kSendMiddle;
    RequestPacket p = some_request(rng, static_cast<std::uint8_t>(op), 256U << rng.below(5));
    p.ack_req = false;
    const auto qpn = word(rng) & kPsnMask;
    const auto pkey = static_cast<std::uint16_t>(rng.next());
    const MiddleFrame middle(headers, p, qpn, pkey);
    REQUIRE(middle.fits(p));
    REQUIRE(middle.transport_bytes() == p.transport_bytes());
    // The destination MAC address and the traffic class may change after the frame has been prepared.
    headers.set_dest_mac({2, static_cast<std::uint8_t>(i), 3, 4, 5, 6});
    headers.set_traffic_class(static_cast<std::uint8_t>(rng.below(64)), Ecn::kEct0);
    const std::uint32_t crc = crc32(0, ByteSpan(stream).first(p.payload_length));
    for (int k = 0; k < 20; ++k) {
      p.psn = word(rng) & kPsnMask;
      const auto id = static_cast<std::uint16_t>(rng.next());
      Made a, b;
      a.size = middle.craft(headers, p.psn, id, crc, a.header.data(), a.trailer.data());
      b.size = craft_request_portable(headers, p, qpn, pkey, id, stream.data(), std::nullopt, b.header.data(),
                                      b.trailer.data());
      require_same(a, b);
    }
  }
}

TEST_CASE("the shift table is made of powers of x", "[craft]") {
  for (std::size_t k = 0; k < kShiftTable.size(); ++k)
    REQUIRE(kShiftTable[k] == polynomial::power_of_x(32 * k));
}

TEST_CASE("CRC by tables and by ISA-L agree on every short length and some long ones", "[craft]") {
  Rng rng(4);
  std::vector<std::uint8_t> bytes(9000);
  for (auto& b : bytes) b = static_cast<std::uint8_t>(rng.next());
  for (std::size_t n = 0; n < 300; ++n) {
    const ByteSpan run = ByteSpan(bytes).subspan(rng.below(64), n);
    const std::uint32_t seed = word(rng);
    REQUIRE(crc32(seed, run) == crc32_by_table(seed, run));
  }
  for (int i = 0; i < 200; ++i) {
    const ByteSpan run = ByteSpan(bytes).subspan(rng.below(64), rng.below(8900));
    const std::uint32_t seed = word(rng);
    REQUIRE(crc32(seed, run) == crc32_by_table(seed, run));
  }
}

TEST_CASE("the iCRC of a received datagram does not depend on its segmentation", "[craft]") {
  Rng rng(8);
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::uint8_t> datagram(rng.below(200));
    for (auto& b : datagram) b = static_cast<std::uint8_t>(rng.next());
    if (!datagram.empty())
      datagram[0] = static_cast<std::uint8_t>((i % 2 == 0 ? 0x40 : 0x60) | (datagram[0] & 15));
    const std::size_t cut = datagram.empty() ? 0 : rng.below(datagram.size());
    Segments two;
    two.push(ByteSpan(datagram).first(cut));
    two.push(ByteSpan(datagram).subspan(cut));
    const std::uint32_t whole = icrc_of_pieces(ByteSpan(datagram));
    REQUIRE(icrc_of(ByteSpan(datagram)) == whole);
    REQUIRE(icrc_of(two) == whole);
  }
}
