// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/frame_draft.hpp"

#include "roce/headers.hpp"
#include "roce/icrc.hpp"

#include <algorithm>

namespace softfeb::conformance {

namespace {

constexpr std::size_t kUdpChecksumAt = 6;

std::uint32_t add_words(std::uint32_t sum, ByteSpan bytes) {
  for (std::size_t k = 0; k + 1 < bytes.size(); k += 2) sum += load_be16(&bytes[k]);
  if (bytes.size() % 2 != 0) sum += std::uint32_t{bytes.back()} << 8;
  return sum;
}

std::uint16_t folded(std::uint32_t sum) {
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

/// Builds an IP fragment from the header `ip` and a part of the IP payload. `flags` includes the fragment
/// offset.
std::vector<std::uint8_t> fragment(std::vector<std::uint8_t> ip, ByteSpan part, std::uint16_t flags) {
  store_be16(&ip[2], static_cast<std::uint16_t>(ip.size() + part.size()));
  store_be16(&ip[6], flags);
  store_be16(&ip[10], 0);
  store_be16(&ip[10], folded(add_words(0, ip)));
  ip.insert(ip.end(), part.begin(), part.end());
  return ip;
}

}  // namespace

FrameDraft::FrameDraft(const ScriptSetup& setup, const ScriptPacket& packet, std::uint16_t identification)
    : setup_(setup), kind_(packet.spec.kind), v6_(!setup.path.dest_ip.is_v4()) {
  ethernet_.resize(roce::kEthernetSize);
  std::copy(setup.path.dest_mac.begin(), setup.path.dest_mac.end(), ethernet_.begin());
  std::copy(setup.path.source_mac.begin(), setup.path.source_mac.end(), ethernet_.begin() + 6);
  store_be16(&ethernet_[12], v6_ ? roce::kEtherTypeIpv6 : roce::kEtherTypeIpv4);
  write_transport(packet);
  write_udp();
  write_ip(identification);
}

void FrameDraft::write_transport(const ScriptPacket& packet) {
  const PacketKind kind = packet.spec.kind;
  const bool cnp = kind == PacketKind::kCnp;
  const auto service = static_cast<unsigned>(setup_.transport) << 5;
  roce::Bth bth;
  bth.opcode = static_cast<std::uint8_t>(cnp ? operation_of(kind) : service | operation_of(kind));
  bth.mig_req = !cnp;
  bth.becn = cnp;
  bth.pad_count = static_cast<std::uint8_t>(-packet.payload.size() & 3U);
  bth.dest_qp = setup_.dest_qp;
  bth.ack_req = packet.spec.ack_req;
  bth.psn = cnp ? 0 : packet.psn;
  transport_.resize(roce::Bth::kSize);
  bth.encode(transport_.data());
  const RegionPlace& region = setup_.regions[packet.region];
  const auto append = [this](std::uint64_t value, unsigned bytes) {
    for (unsigned k = bytes; k-- > 0;) transport_.push_back(static_cast<std::uint8_t>(value >> (8 * k)));
  };
  if (carries_reth(kind) || carries_atomic_header(kind)) {
    append(region.address + packet.offset, 8);
    append(region.rkey, 4);
  }
  if (carries_reth(kind)) append(packet.message_length, 4);
  if (carries_atomic_header(kind)) transport_.resize(transport_.size() + 16);
  if (carries_immediate(kind)) append(packet.immediate, 4);
  if (kind == PacketKind::kSendOnlyInv) append(region.rkey, 4);
  if (cnp) transport_.resize(transport_.size() + 16);
  if (kind == PacketKind::kAcknowledge || kind == PacketKind::kReadResponse || kind == PacketKind::kAtomicAck)
    append(std::uint64_t{roce::Aeth::kNoCredits} << 24, 4);
  if (kind == PacketKind::kAtomicAck) append(0, 8);
  payload_at_ = transport_.size();
  payload_size_ = packet.payload.size();
  transport_.insert(transport_.end(), packet.payload.begin(), packet.payload.end());
  transport_.resize(transport_.size() + bth.pad_count);
}

void FrameDraft::write_udp() {
  udp_.resize(roce::kUdpHeaderSize);
  store_be16(&udp_[0], setup_.path.udp_source_port);
  store_be16(&udp_[2], setup_.path.udp_dest_port);
}

void FrameDraft::write_ip(std::uint16_t identification) {
  const auto tos = static_cast<std::uint8_t>(setup_.path.dscp << 2 | static_cast<unsigned>(setup_.path.ecn));
  const auto& source = setup_.path.source_ip.bytes;
  const auto& dest = setup_.path.dest_ip.bytes;
  if (v6_) {
    ip_.resize(roce::kIpv6Size);
    store_be32(&ip_[0], 0x6000'0000U | std::uint32_t{tos} << 20);
    ip_[6] = roce::kIpProtocolUdp;
    ip_[7] = setup_.path.ttl;
    std::copy(source.begin(), source.end(), ip_.begin() + 8);
    std::copy(dest.begin(), dest.end(), ip_.begin() + 24);
    return;
  }
  ip_.resize(roce::kIpv4Size);
  ip_[0] = 0x45;
  ip_[1] = tos;
  store_be16(&ip_[4], identification);
  store_be16(&ip_[6], 0x4000);  // DF (CA17-7)
  ip_[8] = setup_.path.ttl;
  ip_[9] = roce::kIpProtocolUdp;
  std::copy(source.begin() + 12, source.end(), ip_.begin() + 12);
  std::copy(dest.begin() + 12, dest.end(), ip_.begin() + 16);
}

void FrameDraft::set_lengths() {
  const std::size_t icrc = icrc_absent_ ? 0 : roce::kIcrcSize;
  const std::size_t datagram = udp_.size() + transport_.size() + icrc;
  if (!udp_.empty()) store_be16(&udp_[4], static_cast<std::uint16_t>(datagram));
  const bool like_v6 = v6_ || udp_.empty();
  store_be16(&ip_[like_v6 ? 4 : 2], static_cast<std::uint16_t>(datagram + (like_v6 ? 0 : ip_.size())));
}

void FrameDraft::set_ip_checksum() {
  if (v6_ || udp_.empty() || keep_ip_checksum_) return;
  store_be16(&ip_[10], 0);
  store_be16(&ip_[10], folded(add_words(0, ip_)));
}

std::uint16_t FrameDraft::udp_checksum() const {
  const std::size_t length = udp_.size() + transport_.size() + icrc_.size();
  const ByteSpan addresses = v6_ ? ByteSpan(ip_).subspan(8, 32) : ByteSpan(ip_).subspan(12, 8);
  std::uint32_t sum = add_words(static_cast<std::uint32_t>(length) + roce::kIpProtocolUdp, addresses);
  Bytes datagram = udp_;
  store_be16(&datagram[kUdpChecksumAt], 0);
  datagram.insert(datagram.end(), transport_.begin(), transport_.end());
  datagram.insert(datagram.end(), icrc_.begin(), icrc_.end());
  const std::uint16_t checksum = folded(add_words(sum, datagram));
  return checksum == 0 ? 0xffff : checksum;
}

FrameDraft::Bytes FrameDraft::masked() const {
  Bytes out(whole_icrc_ ? 8 : 0, 0xff);
  Bytes ip = ip_;
  if (v6_ || udp_.empty()) {
    store_be32(&ip[0], load_be32(&ip[0]) | 0x0fff'ffffU);
    ip[7] = 0xff;
  } else {
    ip[1] = ip[8] = ip[10] = ip[11] = 0xff;
  }
  out.insert(out.end(), ip.begin(), ip.end());
  Bytes udp = udp_;
  if (!udp.empty()) udp[kUdpChecksumAt] = udp[kUdpChecksumAt + 1] = 0xff;
  out.insert(out.end(), udp.begin(), udp.end());
  out.insert(out.end(), transport_.begin(), transport_.end());
  const std::size_t byte4 = out.size() - transport_.size() + 4;
  if (byte4_masked_ && byte4 < out.size()) out[byte4] = 0xff;
  return out;
}

void FrameDraft::make_icrc() {
  if (icrc_absent_) return;
  icrc_.resize(roce::kIcrcSize);
  store_le32(icrc_.data(), roce::crc32(0, masked()));
}

/// Makes the changes that the iCRC covers. Changes to lengths and the IP checksum come last, because their
/// correct values must be known first.
void FrameDraft::change_before_icrc(const PacketSpec& spec) {
  const auto deferred = [](Field f) {
    return f == Field::kUdpLength || f == Field::kIpChecksum || f == Field::kUdpChecksum;
  };
  const auto change_field = [&](Field field) {
    for (const Override& o : spec.overrides) {
      if (!o.late && o.field == field) change(o);
    }
  };
  for (const Override& o : spec.overrides) {
    if (!o.late && !deferred(o.field) && (o.field != Field::kIcrc || o.mode == Override::Mode::kWord))
      change(o);
  }
  transport_.resize(std::min(transport_.size(), cut_));
  set_lengths();
  change_field(Field::kUdpLength);
  set_ip_checksum();
  change_field(Field::kIpChecksum);
}

void FrameDraft::apply(const PacketSpec& spec, const Symbols& symbols) {
  symbols_ = symbols;
  text_ = spec.text;
  change_before_icrc(spec);
  make_icrc();
  for (const Override& o : spec.overrides) {
    if (o.late) continue;
    if (o.field == Field::kIcrc && (o.mode != Override::Mode::kWord || o.word == "reversed")) change_icrc(o);
    if (o.field == Field::kUdpChecksum) change(o);
  }
  late_ = true;
  for (const Override& o : spec.overrides) {
    if (!o.late) continue;
    change(o);
    set_ip_checksum();
  }
  if (split_ != 0 && split_ >= udp_.size() + transport_.size() + icrc_.size())
    refuse("it is split behind its end");
}

std::vector<std::vector<std::uint8_t>> FrameDraft::frames() const {
  Bytes datagram = udp_;
  datagram.insert(datagram.end(), transport_.begin(), transport_.end());
  datagram.insert(datagram.end(), icrc_.begin(), icrc_.end());
  std::vector<Bytes> packets;
  if (split_ == 0) {
    packets.push_back(ip_);
    packets[0].insert(packets[0].end(), datagram.begin(), datagram.end());
  } else {
    constexpr std::uint16_t kMoreFragments = 0x2000;
    packets.push_back(fragment(ip_, ByteSpan(datagram).first(split_), kMoreFragments));
    packets.push_back(
        fragment(ip_, ByteSpan(datagram).subspan(split_), static_cast<std::uint16_t>(split_ / 8)));
  }
  for (Bytes& packet : packets) {
    packet.insert(packet.begin(), ethernet_.begin(), ethernet_.end());
    packet.resize(packet.size() + trail_);
  }
  return packets;
}

}  // namespace softfeb::conformance
