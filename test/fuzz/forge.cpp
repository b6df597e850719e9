// SPDX-License-Identifier: BSD-3-Clause
#include "forge.hpp"

#include "roce/icrc.hpp"
#include "roce/packet.hpp"

#include <algorithm>

namespace softfeb::fuzz {

using roce::Bth;
using roce::Operation;

ByteSpan Forge::make(const World& world) {
  const Pair& pair = *world.pairs[rng_.below(world.pairs.size())];
  const std::uint64_t what = rng_.below(100);
  if (what < 47) {
    make_request(pair);
  } else if (what < 50) {
    make_credit(pair);
  } else if (what < 75) {
    make_response(pair);
  } else if (what < 88) {
    make_spoof(pair);
  } else if (what < 91) {
    make_arp(pair);
  } else if (what < 94) {
    make_icmp(pair);
  } else if (what < 97) {
    make_datagram(pair);
  } else if (what < 98) {
    make_pause(pair);
  } else {
    make_noise(pair);
  }
  if (often(15)) add_congestion_header(pair);
  if (often(50)) {
    mutate();
    if (often(60)) repair(pair);
  }
  keep_from_victims(pair);
  return {frame_.data(), size_};
}

/// Returns a random number, with a preference for values near limits.
std::uint32_t Forge::odd_number() {
  static constexpr std::array<std::uint32_t, 14> kEdges{
      0, 1, 2, 3, 255, 256, 257, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 4096, 8191, 8192};
  if (often(60)) return kEdges[rng_.below(kEdges.size())];
  const auto any = static_cast<std::uint32_t>(rng_.next());
  return often(70) ? any & 0x1fff : any;
}

roce::Path Forge::path(const Party& from, const Party& to, const Pair& pair) {
  roce::Path p;
  p.source_mac = from.mac;
  p.dest_mac = to.mac;
  p.source_ip = from.ip;
  p.dest_ip = to.ip;
  p.vlan = pair.vlan;
  p.ecn = often(10) ? roce::Ecn::kCe : roce::Ecn::kEct0;
  return p;
}

void Forge::put_datagram(const roce::Path& path, std::size_t transport, std::uint16_t udp_port) {
  const roce::HeaderTemplate headers(path);
  headers.write(frame_.data(), static_cast<std::uint32_t>(transport + roce::kIcrcSize), 1);
  std::uint8_t* const p = frame_.data() + headers.size();
  if (udp_port != roce::kRoceUdpPort) store_be16(p - 6, udp_port);
  std::copy_n(transport_.data(), transport, p);
  const std::size_t ip = headers.ip_offset();
  const ByteSpan covered(frame_.data() + ip, headers.size() - ip + transport);
  store_le32(p + transport, roce::icrc_of(covered));
  size_ = headers.size() + transport + roce::kIcrcSize;
}

roce::Reth Forge::make_reth(std::size_t qp, std::uint32_t length) {
  roce::Reth r{target_region(qp), target_rkey(qp), length};
  r.virtual_address += rng_.below(kRegionSize);
  if (often(80) && length <= kRegionSize) {
    r.virtual_address = target_region(qp) + rng_.below(kRegionSize - length + 1);
  } else if (often(30)) {
    r.virtual_address = often(50) ? rng_.next() : 0 - std::uint64_t{odd_number()};
  }
  if (often(3)) r.rkey = often(50) ? target_rkey(kVictims + rng_.below(kTargets)) : odd_number();
  return r;
}

/// Writes a packet that continues the attacker's message, correctly or incorrectly.
std::size_t Forge::write_request(const Pair& pair, std::size_t qp, Stream& s) {
  const roce::Responder& responder = pair.receiver->qp(qp).responder();
  if (responder.expected_psn() == s.next_psn) {
    s.active = s.active_then;
    s.remaining = s.remaining_then;
  } else if (responder.counters().packets == 0) {
    s = {};
  }
  const bool begins = often(92) ? !s.active : s.active;
  std::uint32_t length =
      begins ? (often(60) ? 1 + static_cast<std::uint32_t>(rng_.below(4 * kPmtu)) : odd_number())
             : s.remaining;
  const bool ends = often(95) ? length <= kPmtu : length > kPmtu;
  const bool immediate = ends && often(50);
  const unsigned first = begins ? (ends ? 0x0a : 0x06) : (ends ? 0x08 : 0x07);
  Bth bth;
  bth.opcode = static_cast<std::uint8_t>(first + (immediate ? 1 : 0) + (is_uc(qp) ? 0x20 : 0));
  if (often(4)) bth.opcode = static_cast<std::uint8_t>(rng_.next());
  const Operation op = roce::opcode_operation(bth.opcode);
  std::size_t payload = std::min(length, kPmtu);
  if (often(4)) payload = rng_.below(often(90) ? kPmtu + 9 : 5000);
  bth.pad_count = static_cast<std::uint8_t>((often(97) ? 0 - payload : rng_.next()) & 3);
  bth.dest_qp = kReceiverQpn + static_cast<roce::Qpn>(qp);
  bth.psn = responder.expected_psn();
  if (often(8))
    bth.psn =
        roce::psn_add(bth.psn, often(80) ? static_cast<std::uint32_t>(rng_.below(40)) - 20 : odd_number());
  bth.ack_req = often(30);
  bth.solicited = often(20);
  if (often(1)) bth.tver = 1 + (rng_.next() & 7);
  if (often(1)) bth.pkey = static_cast<std::uint16_t>(rng_.next());
  s.next_psn = roce::psn_add(bth.psn, 1);
  s.active_then = !ends;
  s.remaining_then = length - std::min(length, kPmtu);

  bth.encode(transport_.data());
  std::size_t n = Bth::kSize;
  if (roce::has_reth(op)) {
    make_reth(qp, length).encode(transport_.data() + n);
    n += roce::Reth::kSize;
  }
  if (roce::has_immediate(op)) {
    roce::ImmDt{odd_number()}.encode(transport_.data() + n);
    n += roce::ImmDt::kSize;
  }
  return n + payload + bth.pad_count;
}

void Forge::make_request(const Pair& pair) {
  const std::size_t qp = kVictims + rng_.below(kTargets);
  const std::size_t n = write_request(pair, qp, streams_[pair.v6 ? 1 : 0][qp]);
  put_datagram(path(pair.attacker, pair.receiver_party, pair), n);
}

void Forge::make_response(const Pair& pair) {
  const std::size_t qp = kVictims + rng_.below(kTargets);
  Bth bth;
  bth.opcode = roce::kOpcodeRcAck;
  bth.dest_qp = kBoardQpn + static_cast<roce::Qpn>(qp);
  bth.psn = pair.last_psn[qp];
  if (often(70)) bth.psn = roce::psn_add(bth.psn, 0 - static_cast<std::uint32_t>(rng_.below(12)));
  if (often(8)) bth.psn = roce::psn_add(bth.psn, odd_number());
  roce::Aeth aeth{roce::Aeth::ack(), odd_number() & 0xffffff};
  const std::uint64_t kind = rng_.below(100);
  if (kind < 25) {
    aeth.syndrome = roce::Aeth::rnr(static_cast<std::uint8_t>(rng_.next()));
  } else if (kind < 50) {
    aeth.syndrome = 0x60;
  } else if (kind < 53) {
    aeth.syndrome = static_cast<std::uint8_t>(0x61 + rng_.below(4));
  } else if (kind < 60) {
    aeth.syndrome = static_cast<std::uint8_t>(rng_.next());
  }
  std::size_t n = Bth::kSize + roce::Aeth::kSize;
  if (kind >= 90) {
    bth.opcode = kind < 95 ? roce::kOpcodeCnp : static_cast<std::uint8_t>(0x0d + rng_.below(6));
    if (kind >= 99) bth.opcode = static_cast<std::uint8_t>(rng_.next());
    n = Bth::kSize + rng_.below(64);
  }
  bth.encode(transport_.data());
  if (n >= Bth::kSize + roce::Aeth::kSize) aeth.encode(transport_.data() + Bth::kSize);
  put_datagram(path(pair.attacker, pair.board_party, pair), n);
}

/// Makes the packet that a victim expects next, but with a flaw: it comes from a wrong peer, has a wrong
/// iCRC, or is for an unknown QP.
void Forge::make_spoof(const Pair& pair) {
  const std::size_t qp = rng_.below(kVictims);
  const bool request = often(50);
  const Party& to = request ? pair.receiver_party : pair.board_party;
  const Party& peer = request ? pair.board_party : pair.receiver_party;
  const roce::Psn psn = pair.receiver->qp(qp).responder().expected_psn();
  Bth bth;
  bth.dest_qp = (request ? kReceiverQpn : kBoardQpn) + static_cast<roce::Qpn>(qp);
  bth.psn = psn;
  std::size_t n = Bth::kSize;
  if (request) {
    bth.opcode = static_cast<std::uint8_t>((is_uc(qp) ? 0x26 : 0x06) + rng_.below(6));
    bth.ack_req = true;
    if (roce::has_reth(roce::opcode_operation(bth.opcode))) {
      roce::Reth{0x10'0000, 0x55, kPmtu}.encode(transport_.data() + n);
      n += roce::Reth::kSize;
    }
    n += kPmtu;
  } else if (often(80)) {
    bth.opcode = roce::kOpcodeRcAck;
    roce::Aeth{often(50) ? roce::Aeth::ack() : static_cast<std::uint8_t>(0x60 + rng_.below(5)), 1}.encode(
        transport_.data() + n);
    n += roce::Aeth::kSize;
  } else {
    bth.opcode = roce::kOpcodeCnp;
    n += 16;
  }
  const std::uint64_t flaw = rng_.below(3);
  if (flaw == 0) bth.dest_qp ^= 8U << rng_.below(20);
  bth.encode(transport_.data());
  put_datagram(path(flaw == 1 ? pair.attacker : peer, to, pair), n);
  // Flip one bit of the iCRC, or one bit that the iCRC covers and that does not change the peer or the
  // length.
  if (flaw == 2) frame_[size_ - 1 - rng_.below(n - 5)] ^= static_cast<std::uint8_t>(1U << rng_.below(8));
}

}  // namespace softfeb::fuzz
