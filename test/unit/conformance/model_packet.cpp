// SPDX-License-Identifier: BSD-3-Clause
#include "model_packet.hpp"

#include "roce/icrc.hpp"

#include <algorithm>

namespace softfeb::test {

namespace {

using Bytes = std::vector<std::uint8_t>;
using M = Mutation;

constexpr std::uint16_t kTypeRoceV1 = 0x8915;

/// Returns the Internet checksum (RFC 1071) of `bytes`.
std::uint16_t ones_complement(const Bytes& bytes) {
  std::uint32_t sum = 0;
  for (std::size_t k = 0; k < bytes.size(); ++k) sum += std::uint32_t{bytes[k]} << (k % 2 == 0 ? 8 : 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

Bytes copy_of(ByteSpan bytes) { return {bytes.begin(), bytes.end()}; }

/// The wrong behaviour of kIdNotCovered and of similar mutations. If the byte at offset `at` from the IP
/// header was changed by an XOR with `change`, the model accepts the iCRC nevertheless.
struct Hole {
  M mutation;
  std::size_t at;
  std::uint8_t change;
};
constexpr std::size_t kBth = 28;
constexpr Hole kHoles[] = {
    {M::kIdNotCovered, 5, 0x01},
    {M::kFlagsNotCovered, 6, 0x40},
    {M::kSourceIpNotCovered, 15, 0x40},
    {M::kSourcePortNotCovered, 21, 0x01},
    {M::kReservedBitsNotCovered, kBth + 8, 0x01},
    {M::kLengthNotCovered, kBth + 27, 0x01},
    {M::kPayloadNotCovered, kBth + 28, 0x01},
};

}  // namespace

std::optional<ModelPacket> ModelReader::read(ByteSpan frame) {
  if (frame.size() < 18) return std::nullopt;
  ModelPacket out;
  std::copy_n(frame.begin() + 6, 6, out.source_mac.begin());
  const bool ours = std::equal(own_.mac.begin(), own_.mac.end(), frame.begin());
  const bool multicast = (frame[0] & 1) != 0;
  if (!ours && (multicast || !is(M::kForeignMac))) return std::nullopt;
  std::size_t type = 12;
  if (load_be16(&frame[type]) == 0x8100) {
    const unsigned vid = load_be16(&frame[14]) & 0xfffU;
    if (vid != 0 ? !is(M::kForeignVlan) : is(M::kPriorityTagDropped)) return std::nullopt;
    type = 16;
  }
  const ByteSpan rest = frame.subspan(type + 2);
  switch (load_be16(&frame[type])) {
    case 0x0800:
      return own_.ip.is_v4() ? read_v4(rest, std::move(out)) : std::nullopt;
    case 0x86dd:
      return own_.ip.is_v4() ? std::nullopt : read_v6(rest, std::move(out));
    case kTypeRoceV1:
      return is(M::kRoceV1) ? read_v1(rest, std::move(out)) : std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<ModelPacket> ModelReader::read_v4(ByteSpan ip, ModelPacket out) {
  if (ip.size() < 20) return std::nullopt;
  if (ip[0] >> 4 != 4 && !is(M::kVersionIgnored)) return std::nullopt;
  const std::size_t header = (ip[0] & 0xfU) * 4U;
  if (header < 20 || header > ip.size()) return std::nullopt;
  if (header != 20 && !is(M::kOptionsAccepted)) return std::nullopt;
  if (ones_complement(copy_of(ip.first(header))) != 0 && !is(M::kIpChecksumIgnored)) return std::nullopt;
  const std::size_t total = load_be16(&ip[2]);
  if (total < header || total > ip.size()) return std::nullopt;
  if (total != ip.size() && is(M::kEthernetPaddingRefused)) return std::nullopt;
  Bytes packet = copy_of(ip.first(total));
  unsigned flags = load_be16(&ip[6]);
  if ((flags & 0x3fff) != 0 && is(M::kReassembles)) {
    const std::size_t offset = (flags & 0x1fff) * 8;
    if (offset == 0) fragment_ = packet;
    if (offset == 0 || fragment_.size() != 20 + offset) return std::nullopt;
    packet.erase(packet.begin(), packet.begin() + 20);
    packet.insert(packet.begin(), fragment_.begin(), fragment_.end());
    store_be16(&packet[2], static_cast<std::uint16_t>(packet.size()));
    store_be16(&packet[6], 0);
    flags = 0x4000;
  }
  if ((flags & 0x3fff) != 0 && !is(M::kFragmentsAccepted)) return std::nullopt;
  if ((flags & 0x4000) == 0 && !is(M::kDfIgnored) && !is(M::kFlagsNotCovered)) return std::nullopt;
  const unsigned ttl = packet[8];
  if ((is(M::kLowTtlDropped) && ttl == 1) || (is(M::kTtlMustBe64) && ttl != 64)) return std::nullopt;
  if (packet[9] != 17) return std::nullopt;
  if (roce::IpAddress::from_v4_wire(&packet[16]) != own_.ip && !is(M::kDestIpIgnored)) return std::nullopt;
  out.source_ip = roce::IpAddress::from_v4_wire(&packet[12]);
  out.tos = packet[1];
  Layers layers;
  layers.ip.assign(packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(header));
  return read_udp(std::move(layers), ByteSpan(packet).subspan(header), std::move(out));
}

std::optional<ModelPacket> ModelReader::read_v6(ByteSpan ip, ModelPacket out) const {
  if (ip.size() < 40 || ip[0] >> 4 != 6 || is(M::kV6Dropped)) return std::nullopt;
  const std::size_t length = load_be16(&ip[4]);
  if (length > ip.size() - 40 || ip[6] != 17) return std::nullopt;
  if (is(M::kFlowLabelDropped) && (load_be32(&ip[0]) & 0xfffff) != 0) return std::nullopt;
  if (roce::IpAddress::from_v6_wire(&ip[24]) != own_.ip) return std::nullopt;
  out.source_ip = roce::IpAddress::from_v6_wire(&ip[8]);
  out.tos = static_cast<std::uint8_t>(load_be16(&ip[0]) >> 4);
  Layers layers{.ip = copy_of(ip.first(40)), .udp = {}, .transport = {}, .v6 = true, .icrc = {}};
  return read_udp(std::move(layers), ip.subspan(40, length), std::move(out));
}

std::optional<ModelPacket> ModelReader::read_v1(ByteSpan grh, ModelPacket out) const {
  if (grh.size() < 40) return std::nullopt;
  const std::size_t length = load_be16(&grh[4]);
  if (length > grh.size() - 40) return std::nullopt;
  out.source_ip = roce::IpAddress::from_v6_wire(&grh[8]);
  Layers layers{.ip = copy_of(grh.first(40)), .udp = {}, .transport = {}, .v6 = true, .icrc = {}};
  return read_transport(std::move(layers), grh.subspan(40, length), std::move(out));
}

std::optional<ModelPacket> ModelReader::read_udp(Layers layers, ByteSpan udp, ModelPacket out) const {
  if (udp.size() < 8) return std::nullopt;
  if (load_be16(&udp[2]) != 4791 && !is(M::kDestPortIgnored)) return std::nullopt;
  if (load_be16(&udp[0]) == 0 && is(M::kSourcePort0Dropped)) return std::nullopt;
  if (load_be16(&udp[4]) != udp.size() && !is(M::kUdpLengthIgnored)) return std::nullopt;
  if (load_be16(&udp[6]) != 0 && is(M::kUdpChecksumMustBe0)) return std::nullopt;
  if (load_be16(&udp[6]) != 0 && !is(M::kUdpChecksumIgnored)) {
    Bytes covered = copy_of(ByteSpan(layers.ip).subspan(layers.v6 ? 8 : 12, layers.v6 ? 32 : 8));
    for (const unsigned word : {17U, static_cast<unsigned>(udp.size())}) {
      covered.push_back(static_cast<std::uint8_t>(word >> 8));
      covered.push_back(static_cast<std::uint8_t>(word));
    }
    covered.insert(covered.end(), udp.begin(), udp.end());
    if (ones_complement(covered) != 0) return std::nullopt;
  }
  if (is(M::kDscpMustBe0) && out.tos >> 2 != 0) return std::nullopt;
  if (is(M::kCeDropped) && out.ce()) return std::nullopt;
  if (is(M::kEct1Dropped) && (out.tos & 3) == 1) return std::nullopt;
  layers.udp = copy_of(udp.first(8));
  return read_transport(std::move(layers), udp.subspan(8), std::move(out));
}

std::optional<ModelPacket> ModelReader::read_transport(Layers layers, ByteSpan bytes, ModelPacket out) const {
  if (bytes.size() < 16) return std::nullopt;
  const bool bare = is(M::kMissingIcrcAccepted) && bytes.size() == 28;
  layers.transport = copy_of(bytes.first(bytes.size() - (bare ? 0 : 4)));
  layers.icrc = copy_of(bytes.last(4));
  out.icrc_right = bare || icrc_right(layers);
  const Bytes& t = layers.transport;
  out.bth = {.opcode = t[0],
             .solicited = (t[1] & 0x80) != 0,
             .mig_req = (t[1] & 0x40) != 0,
             .pad_count = static_cast<std::uint8_t>(t[1] >> 4 & 3),
             .tver = static_cast<std::uint8_t>(t[1] & 0xf),
             .pkey = load_be16(&t[2]),
             .dest_qp = load_be24(&t[5]),
             .ack_req = (t[8] & 0x80) != 0,
             .psn = load_be24(&t[9])};
  out.byte4 = t[4];
  out.reserved7 = t[8] & 0x7f;
  out.behind.assign(t.begin() + 12, t.end());
  return out;
}

/// Returns the CRC-32 of the packet, preceded by eight 0xff bytes if `ones` is true. In fields that routers
/// change, all bits are replaced by ones (annex A17.3.3). Only the CRC-32 itself is shared with lib/roce.
std::uint32_t ModelReader::icrc_of(const Layers& layers, bool ones, bool byte4_masked) const {
  Bytes all(ones ? 8 : 0, 0xff);
  Bytes ip = layers.ip;
  if (layers.v6) {
    store_be32(&ip[0], load_be32(&ip[0]) | 0x0fffffff);
    ip[7] = 0xff;
  } else {
    if (!is(M::kTosCovered)) ip[1] = 0xff;
    if (!is(M::kTtlCovered)) ip[8] = 0xff;
    ip[10] = ip[11] = 0xff;
  }
  Bytes udp = layers.udp;
  if (!udp.empty()) udp[6] = udp[7] = 0xff;
  Bytes transport = layers.transport;
  if (byte4_masked && !is(M::kByte4Covered)) transport[4] = 0xff;
  for (const Bytes* part : {&ip, &udp, &transport}) all.insert(all.end(), part->begin(), part->end());
  return roce::crc32(0, ByteSpan(all));
}

bool ModelReader::icrc_right(const Layers& layers) const {
  const std::uint32_t sent = load_le32(layers.icrc.data());
  if (is(M::kIcrcIgnored) || (is(M::kIcrc0Accepted) && sent == 0)) return true;
  if (icrc_of(layers, true, true) == sent) return true;
  if (is(M::kIcrcWithoutOnes) && icrc_of(layers, false, true) == sent) return true;
  if (is(M::kIcrcCountsByte4) && icrc_of(layers, true, false) == sent) return true;
  return right_before_change(layers);
}

bool ModelReader::right_before_change(Layers layers) const {
  const auto* const hole =
      std::find_if(std::begin(kHoles), std::end(kHoles), [&](const Hole& h) { return is(h.mutation); });
  if (hole == std::end(kHoles) || layers.v6) return false;
  std::size_t at = hole->at;
  for (Bytes* part : {&layers.ip, &layers.udp, &layers.transport}) {
    if (at < part->size()) {
      (*part)[at] ^= hole->change;
      return icrc_of(layers, true, true) == load_le32(layers.icrc.data());
    }
    at -= part->size();
  }
  return false;
}

std::vector<std::uint8_t> model_frame(const ModelReply& reply, const engine::Identity& own,
                                      const roce::MacAddress& dest_mac, const roce::IpAddress& dest_ip,
                                      roce::Qpn dest_qp, Mutation mutation) {
  const bool v6 = !own.ip.is_v4();
  const auto pad = static_cast<std::uint8_t>(-reply.behind.size() & 3U);
  const std::size_t ip = 14, udp = ip + (v6 ? 40 : 20), bth = udp + 8;
  Bytes f(bth + 12);
  std::copy(dest_mac.begin(), dest_mac.end(), f.begin());
  std::copy(own.mac.begin(), own.mac.end(), f.begin() + 6);
  store_be16(&f[12], v6 ? 0x86dd : 0x0800);
  f[bth] = reply.opcode;
  f[bth + 1] = static_cast<std::uint8_t>(pad << 4);
  store_be16(&f[bth + 2], reply.pkey);
  f[bth + 4] = reply.byte4;
  store_be24(&f[bth + 5], dest_qp);
  const bool cnp = reply.opcode == 0x81;
  if (!cnp && mutation == M::kAckPkey) store_be16(&f[bth + 2], 0x8001);
  if (!cnp && mutation == M::kAckReservedBits) f[bth + 8] = 0x01;
  if (!cnp && mutation == M::kAckWithAckReq) f[bth + 8] = 0x80;
  store_be24(&f[bth + 9], reply.psn);
  f.insert(f.end(), reply.behind.begin(), reply.behind.end());
  f.resize(f.size() + pad);
  const auto datagram = static_cast<std::uint16_t>(f.size() - udp + 4);
  store_be16(&f[udp], 0xc123);
  store_be16(&f[udp + 2], 4791);
  store_be16(&f[udp + 4], datagram);
  const std::uint8_t tos = static_cast<std::uint8_t>((reply.tos & 0xfc) | reply.ecn);
  if (v6) {
    store_be32(&f[ip], 0x60000000U | std::uint32_t{tos} << 20);
    store_be16(&f[ip + 4], datagram);
    f[ip + 6] = 17;
    f[ip + 7] = 64;
    std::copy(own.ip.bytes.begin(), own.ip.bytes.end(), f.begin() + static_cast<std::ptrdiff_t>(ip + 8));
    std::copy(dest_ip.bytes.begin(), dest_ip.bytes.end(), f.begin() + static_cast<std::ptrdiff_t>(ip + 24));
  } else {
    f[ip] = 0x45;
    f[ip + 1] = tos;
    store_be16(&f[ip + 2], static_cast<std::uint16_t>(datagram + 20));
    store_be16(&f[ip + 6], mutation == M::kAckWithoutDf ? 0 : 0x4000);
    f[ip + 8] = 64;
    f[ip + 9] = 17;
    store_be32(&f[ip + 12], own.ip.v4());
    store_be32(&f[ip + 16], dest_ip.v4());
    store_be16(&f[ip + 10], ones_complement(copy_of(ByteSpan(f).subspan(ip, 20))));
  }
  Bytes masked(8, 0xff);
  masked.insert(masked.end(), f.begin() + static_cast<std::ptrdiff_t>(ip), f.end());
  if (v6) {
    store_be32(&masked[8], 0x6fffffff);
    masked[8 + 7] = 0xff;
  } else {
    masked[8 + 1] = masked[8 + 8] = masked[8 + 10] = masked[8 + 11] = 0xff;
  }
  masked[8 + udp - ip + 6] = masked[8 + udp - ip + 7] = masked[8 + bth - ip + 4] = 0xff;
  f.resize(f.size() + 4);
  store_le32(&f[f.size() - 4], roce::crc32(0, ByteSpan(masked)));
  return f;
}

}  // namespace softfeb::test
