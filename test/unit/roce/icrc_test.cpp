// SPDX-License-Identifier: BSD-3-Clause
#include "roce/icrc.hpp"

#include "base/rng.hpp"
#include "roce/clmul.hpp"
#include "roce/clmul_reduce.hpp"
#include "roce/cpu.hpp"
#include "roce/craft.hpp"
#include "roce/frame.hpp"
#include "roce/polynomial.hpp"

#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;

namespace {

std::vector<std::uint8_t> random_bytes(Rng& rng, std::size_t n) {
  std::vector<std::uint8_t> v(n);
  for (auto& b : v) b = static_cast<std::uint8_t>(rng.next());
  return v;
}

SOFTFEB_PCLMUL std::uint32_t reduced_product(std::uint32_t a, std::uint32_t b) {
  return clmul::reduce63(clmul::product(a, b));
}

/// Multiplies two words by `factor`, and returns the reduced sum of the products. The first word is `word`.
/// The second word has the upper half `upper` and the lower half 0.
SOFTFEB_PCLMUL std::uint32_t reduced_sum(std::uint64_t word, std::uint32_t factor, std::uint32_t upper) {
  return clmul::reduce95(
      clmul::add(clmul::product(word, factor), clmul::product(std::uint64_t{upper} << 32, factor)));
}

/// Computes CRC-32 by its definition, one bit at a time. This reference uses neither tables nor carry-less
/// multiplication.
std::uint32_t crc32_by_definition(ByteSpan data) {
  std::uint32_t crc = 0xffffffff;
  for (const std::uint8_t byte : data) {
    crc ^= byte;
    for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320U : 0);
  }
  return ~crc;
}

/// Computes the iCRC as annex A17 describes it: the CRC-32 of eight 0xff bytes followed by a masked copy of
/// the datagram.
std::uint32_t icrc_by_definition(ByteSpan datagram, bool v6) {
  std::vector<std::uint8_t> m(8 + datagram.size(), 0xff);
  std::copy(datagram.begin(), datagram.end(), m.begin() + 8);
  std::uint8_t* ip = m.data() + 8;
  if (v6) {
    ip[0] |= 0x0f;
    ip[1] = ip[2] = ip[3] = ip[7] = 0xff;
  } else {
    ip[1] = ip[8] = ip[10] = ip[11] = 0xff;
  }
  std::uint8_t* udp = ip + (v6 ? 40 : 20);
  udp[6] = udp[7] = 0xff;
  udp[8 + 4] = 0xff;
  return crc32_by_definition(m);
}

Path random_path(Rng& rng) {
  Path p;
  const bool v6 = rng.chance(1U << 31);
  for (auto& b : p.source_mac) b = static_cast<std::uint8_t>(rng.next());
  for (auto& b : p.dest_mac) b = static_cast<std::uint8_t>(rng.next());
  if (rng.chance(1U << 31)) p.vlan = VlanTag{static_cast<std::uint16_t>(1 + rng.below(4094)), 3};
  const auto a = random_bytes(rng, 16);
  const auto b = random_bytes(rng, 16);
  p.source_ip = v6 ? IpAddress::from_v6_wire(a.data()) : IpAddress::from_v4_wire(a.data());
  p.dest_ip = v6 ? IpAddress::from_v6_wire(b.data()) : IpAddress::from_v4_wire(b.data());
  p.dscp = static_cast<std::uint8_t>(rng.below(64));
  p.ecn = static_cast<Ecn>(rng.below(4));
  p.ttl = static_cast<std::uint8_t>(1 + rng.below(255));
  p.udp_source_port = static_cast<std::uint16_t>(0xc000 + rng.below(0x4000));
  return p;
}

RequestPacket random_request(Rng& rng, std::uint32_t length) {
  static constexpr Operation kOps[] = {Operation::kWriteFirst,   Operation::kWriteMiddle,
                                       Operation::kWriteLast,    Operation::kWriteOnly,
                                       Operation::kWriteLastImm, Operation::kWriteOnlyImm};
  RequestPacket r;
  r.opcode = opcode(rng.chance(1U << 31) ? Transport::kRc : Transport::kUc, kOps[rng.below(6)]);
  r.ack_req = rng.chance(1U << 31);
  r.psn = static_cast<Psn>(rng.below(1U << 24));
  r.reth = {rng.next(), static_cast<std::uint32_t>(rng.next()), static_cast<std::uint32_t>(rng.next())};
  r.immediate = static_cast<std::uint32_t>(rng.next());
  r.payload_length = length;
  return r;
}

}  // namespace

TEST_CASE("CRC-32 is Ethernet's and can be chained", "[icrc]") {
  const std::string check = "123456789";
  const ByteSpan bytes(reinterpret_cast<const std::uint8_t*>(check.data()), check.size());
  CHECK(crc32(0, bytes) == 0xcbf43926);
  CHECK(crc32(crc32(0, bytes.first(4)), bytes.subspan(4)) == 0xcbf43926);
}

TEST_CASE("carry-less multiplication: hardware equals the portable implementation", "[icrc]") {
  Rng rng(7);
  if (!cpu::kPclmul) WARN("no PCLMULQDQ here: only the portable way runs");
  for (int i = 0; i < 100000; ++i) {
    const auto a = static_cast<std::uint32_t>(rng.next());
    const auto b = static_cast<std::uint32_t>(rng.next());
    REQUIRE(clmul::multiply(a, b) == clmul::multiply_portable(a, b));
  }
}

TEST_CASE("sums of carry-less products are reduced modulo the CRC polynomial", "[icrc]") {
  if (!clmul::callable()) {
    WARN("no PCLMULQDQ here: such sums are not used");
    return;
  }
  const std::uint32_t x32 = polynomial::power_of_x(32);
  Rng rng(11);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t word = rng.next();
    const auto low = static_cast<std::uint32_t>(word), high = static_cast<std::uint32_t>(word >> 32);
    const auto factor = static_cast<std::uint32_t>(rng.next()),
               other = static_cast<std::uint32_t>(rng.next());
    REQUIRE(reduced_product(low, factor) == clmul::multiply_portable(low, factor));
    // The lower half of a word has the coefficients of x^63 to x^32, the upper half those of x^31 to x^0.
    const std::uint32_t first = clmul::multiply_portable(clmul::multiply_portable(low, x32), factor);
    REQUIRE(reduced_sum(word, factor, other) ==
            (first ^ clmul::multiply_portable(high, factor) ^ clmul::multiply_portable(other, factor)));
  }
}

TEST_CASE("a CRC shifted past known bytes equals the CRC over all of them", "[icrc]") {
  Rng rng(3);
  for (int i = 0; i < 2000; ++i) {
    const auto a = random_bytes(rng, rng.below(100));
    const auto b = random_bytes(rng, rng.below(5000));
    auto ab = a;
    ab.insert(ab.end(), b.begin(), b.end());
    REQUIRE(crc32_combine(crc32(0, ByteSpan(a)), crc32(0, ByteSpan(b)), b.size()) == crc32_by_definition(ab));
  }
}

TEST_CASE("both methods for the iCRC agree with its definition on random packets", "[icrc]") {
  Rng rng(11);
  for (int i = 0; i < 3000; ++i) {
    const Path path = random_path(rng);
    const HeaderTemplate headers(path);
    const auto payload = random_bytes(rng, i % 7 == 0 ? 4096 : rng.below(4097));
    const RequestPacket request = random_request(rng, static_cast<std::uint32_t>(payload.size()));
    auto padded = payload;
    padded.resize(payload.size() + request.pad_count());
    const auto qpn = static_cast<Qpn>(rng.below(1U << 24));
    const auto id = static_cast<std::uint16_t>(rng.next());

    std::vector<std::uint8_t> header(HeaderTemplate::kMaxSize + kMaxTransportHeaders);
    std::array<std::uint8_t, 8> full{};
    std::array<std::uint8_t, 8> known{};
    const Crafted a = craft_request(headers, request, qpn, kDefaultPkey, id, payload.data(), std::nullopt,
                                    header.data(), full.data());
    const Crafted b = craft_request(headers, request, qpn, kDefaultPkey, id, nullptr,
                                    crc32(0, ByteSpan(padded)), header.data(), known.data());
    REQUIRE(a.header_length == b.header_length);
    REQUIRE(a.trailer_length == b.trailer_length);
    REQUIRE(full == known);

    std::vector<std::uint8_t> frame(header.begin(), header.begin() + a.header_length);
    frame.insert(frame.end(), payload.begin(), payload.end());
    frame.insert(frame.end(), full.begin(), full.begin() + a.trailer_length);
    const ByteSpan datagram = ByteSpan(frame).subspan(headers.ip_offset());
    REQUIRE(load_le32(&frame[frame.size() - 4]) ==
            icrc_by_definition(datagram.first(datagram.size() - 4), !path.source_ip.is_v4()));

    const ParsedFrame parsed = parse_frame(ByteSpan(frame));
    REQUIRE(parsed.kind == FrameKind::kUdp);
    REQUIRE(parsed.vlan == path.vlan);
    REQUIRE(parsed.source_ip == path.source_ip);
    REQUIRE(parsed.dest_port == kRoceUdpPort);
    REQUIRE(parsed.congestion_experienced == (path.ecn == Ecn::kCe));
    REQUIRE(icrc_matches(parsed));
    const TransportPacket t = parse_transport(transport_bytes(parsed));
    REQUIRE(t.kind == TransportKind::kRequest);
    REQUIRE(t.request.bth.dest_qp == qpn);
    REQUIRE(t.request.payload.size() == payload.size());

    // The iCRC must also match if the frame is split at two random places, as a packet in a chain of mbufs
    // is.
    const std::size_t c1 = rng.below(frame.size());
    const std::size_t c2 = c1 + rng.below(frame.size() - c1);
    Segments cut;
    cut.push(ByteSpan(frame).first(c1));
    cut.push(ByteSpan(frame).subspan(c1, c2 - c1));
    cut.push(ByteSpan(frame).subspan(c2));
    REQUIRE(icrc_matches(parse_frame(cut)));

    // If a bit outside the masked fields is flipped, the iCRC must not match.
    const std::size_t at = frame.size() - 1 - rng.below(frame.size() - headers.size() - 12);
    frame[at] ^= static_cast<std::uint8_t>(1U << rng.below(8));
    REQUIRE_FALSE(icrc_matches(parse_frame(ByteSpan(frame))));
  }
}

TEST_CASE("acknowledgements and CNPs are well-formed frames", "[icrc]") {
  Rng rng(5);
  for (int i = 0; i < 500; ++i) {
    const HeaderTemplate headers(random_path(rng));
    std::vector<std::uint8_t> frame(128);
    std::array<std::uint8_t, 8> trailer{};
    const bool cnp = i % 2 == 0;
    const auto qpn = static_cast<Qpn>(rng.below(1U << 24));
    const Crafted c = cnp ? craft_cnp(headers, qpn, kDefaultPkey, 1, frame.data(), trailer.data())
                          : craft_acknowledge(headers, Aeth{Aeth::rnr(12), 77}, 0xabcdef, qpn, kDefaultPkey,
                                              1, frame.data(), trailer.data());
    frame.resize(c.header_length);
    frame.insert(frame.end(), trailer.begin(), trailer.begin() + c.trailer_length);
    const ParsedFrame parsed = parse_frame(ByteSpan(frame));
    REQUIRE(icrc_matches(parsed));
    const TransportPacket t = parse_transport(transport_bytes(parsed));
    REQUIRE(t.request.bth.dest_qp == qpn);
    if (cnp) {
      REQUIRE(t.kind == TransportKind::kCnp);
      REQUIRE(t.request.bth.becn);
    } else {
      REQUIRE(t.kind == TransportKind::kAcknowledge);
      REQUIRE(t.aeth.msn == 77);
      REQUIRE(t.aeth.kind() == AethKind::kRnrNak);
      REQUIRE(t.request.bth.psn == 0xabcdef);
    }
  }
}
