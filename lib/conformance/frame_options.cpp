// SPDX-License-Identifier: BSD-3-Clause
// How each option of the notation changes a packet.
#include "conformance/frame_draft.hpp"
#include "roce/headers.hpp"

#include <algorithm>

namespace softfeb::conformance {

namespace {

constexpr std::uint16_t kEtherTypeRoceV1 = 0x8915;
constexpr std::uint8_t kGrhNextHeader = 0x1b;  ///< value of NxtHdr in a GRH that a BTH follows

constexpr std::size_t kExtended = roce::Bth::kSize;  ///< offset of the first extended header in transport_

}  // namespace

void FrameDraft::refuse(const std::string& what) const { throw NotationError("'" + text_ + "': " + what); }

void FrameDraft::change_bits(Bytes& bytes, std::size_t at, std::size_t width, unsigned shift, unsigned bits,
                             const Override& o) {
  if (at + width > bytes.size()) refuse("the packet is too short for this option");
  std::uint64_t word = 0;
  for (std::size_t k = 0; k < width; ++k) word = word << 8 | bytes[at + k];
  const std::uint64_t mask = (bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1) << shift;
  const std::uint64_t value = o.word == "ce" ? 3 : o.applied((word & mask) >> shift, symbols_);
  word = (word & ~mask) | (value << shift & mask);
  for (std::size_t k = width; k-- > 0; word >>= 8) bytes[at + k] = static_cast<std::uint8_t>(word);
}

/// Applies `o` to an IP address. `at` is the offset of the last four bytes of the address.
void FrameDraft::change_address(Bytes& bytes, std::size_t at, const Override& o) {
  if (o.word == "second") {
    const auto& second = setup_.second_ip.bytes;
    const std::size_t size = v6_ ? 16 : 4;
    std::copy(second.end() - static_cast<std::ptrdiff_t>(size), second.end(),
              bytes.begin() + static_cast<std::ptrdiff_t>(at + 4 - size));
  } else if (o.word == "broadcast") {
    bytes[at + 3] = 255;
  } else if (o.word == "other") {
    bytes[at + 3] ^= 0x40;
  } else {
    change_bits(bytes, at, 4, 0, 32, o);
  }
}

void FrameDraft::change_mac(std::size_t at, const Override& o) {
  if (o.word == "broadcast") {
    std::fill_n(ethernet_.begin() + static_cast<std::ptrdiff_t>(at), 6, std::uint8_t{0xff});
  } else if (o.word == "other") {
    ethernet_[at + 5] ^= 0x40;
  } else {
    change_bits(ethernet_, at, 6, 0, 48, o);
  }
}

void FrameDraft::change_icrc(const Override& o) {
  if (o.word == "reversed") {
    std::reverse(icrc_.begin(), icrc_.end());
  } else if (o.word.empty()) {
    change_bits(icrc_, 0, 4, 0, 32, o);
  } else if (late_) {
    refuse("how the iCRC is made cannot change on the way");
  } else if (o.word == "none") {
    icrc_absent_ = true;
  } else if (o.word == "no_ones") {
    whole_icrc_ = false;
  } else if (o.word == "byte4_counted") {
    byte4_masked_ = false;
  }
}

/// Applies an option that changes the shape of the frame instead of a field of a header.
void FrameDraft::change_shape(const Override& o) {
  const std::uint64_t value = o.value.value(symbols_);
  const bool made = o.field == Field::kIhl || o.field == Field::kRoceV1 || o.field == Field::kCut;
  if (late_ && made) refuse("the headers and the length of a packet cannot change on the way");
  switch (o.field) {
    case Field::kCut:
      cut_ = value;
      break;
    case Field::kTrail:
      trail_ = std::min<std::uint64_t>(value, 1500);
      break;
    case Field::kSplit:
      if (v6_ || udp_.empty() || value % 8 != 0 || value == 0)
        refuse("only IPv4 is fragmented, at a multiple of 8 bytes inside the packet");
      split_ = value;
      break;
    case Field::kIhl:
      if (v6_ || udp_.empty() || value < 5 || value > 15) refuse("ihl is a length of IPv4 headers, 5 to 15");
      ip_.resize(4 * value, 0x01);  // NOP
      ip_[0] = static_cast<std::uint8_t>(0x40 | value);
      break;
    case Field::kRoceV1: {
      Bytes grh(roce::kIpv6Size);
      grh[0] = 0x60;
      grh[6] = kGrhNextHeader;
      grh[7] = setup_.path.ttl;
      std::copy(setup_.path.source_ip.bytes.begin(), setup_.path.source_ip.bytes.end(), grh.begin() + 8);
      std::copy(setup_.path.dest_ip.bytes.begin(), setup_.path.dest_ip.bytes.end(), grh.begin() + 24);
      ip_ = grh;
      udp_.clear();
      store_be16(&ethernet_[ethernet_.size() - 2], kEtherTypeRoceV1);
      break;
    }
    default:
      break;
  }
}

void FrameDraft::change_transport(const Override& o) {
  const auto bth = [&](std::size_t at, std::size_t width, unsigned shift, unsigned bits) {
    change_bits(transport_, at, width, shift, bits, o);
  };
  switch (o.field) {
    case Field::kOpcode:
      return bth(0, 1, 0, 8);
    case Field::kSolicited:
      return bth(1, 1, 7, 1);
    case Field::kMigReq:
      return bth(1, 1, 6, 1);
    case Field::kPadCount:
      return bth(1, 1, 4, 2);
    case Field::kTver:
      return bth(1, 1, 0, 4);
    case Field::kPkey:
      return bth(2, 2, 0, 16);
    case Field::kByte4:
      return bth(4, 1, 0, 8);
    case Field::kDestQp:
      if (o.word == "unused")
        return change_bits(transport_, 5, 3, 0, 24, {.value = Expression(setup_.unused_qp)});
      return bth(5, 3, 0, 24);
    case Field::kAckReq:
      return bth(8, 1, 7, 1);
    case Field::kReserved7:
      return bth(8, 1, 0, 7);
    case Field::kPsn:
      return bth(9, 3, 0, 24);
    case Field::kPayload:
      if (o.index >= payload_size_) refuse("the payload has no such byte");
      return bth(payload_at_ + o.index, 1, 0, 8);
    case Field::kPad:
      return bth(payload_at_ + payload_size_ + o.index, 1, 0, 8);
    default:
      return;
  }
}

/// Changes an extended header. The ScriptPacket already contains the values of `len`, `va` and `imm`, so only
/// their changes on the way (`~`) remain.
void FrameDraft::change_extended(const Override& o) {
  const bool reth = carries_reth(kind_), atomic = carries_atomic_header(kind_);
  const auto in_header = [&](bool present, std::size_t at, std::size_t width) {
    if (!present) refuse("the packet has no such header");
    if (late_ || (o.field != Field::kVa && o.field != Field::kLength && o.field != Field::kImmediate))
      change_bits(transport_, at, width, 0, static_cast<unsigned>(8 * width), o);
  };
  switch (o.field) {
    case Field::kVa:
      return in_header(reth || atomic, kExtended, 8);
    case Field::kRkey:
      if (kind_ == PacketKind::kSendOnlyInv) return in_header(true, kExtended, 4);
      return in_header(reth || atomic, kExtended + 8, 4);
    case Field::kLength:
      return in_header(reth, kExtended + 12, 4);
    case Field::kImmediate:
      return in_header(carries_immediate(kind_), payload_at_ - 4, 4);
    case Field::kSwap:
      return in_header(atomic, kExtended + 12, 8);
    case Field::kCompare:
      return in_header(atomic, kExtended + 20, 8);
    default:
      return;
  }
}

void FrameDraft::change_ip(const Override& o) {
  if (udp_.empty()) refuse("RoCE v1 has no IP header");
  const auto v4_only = [&](std::size_t at, std::size_t width, unsigned shift, unsigned bits) {
    if (v6_) refuse("the option exists only with IPv4");
    change_bits(ip_, at, width, shift, bits, o);
  };
  switch (o.field) {
    case Field::kVersion:
      return change_bits(ip_, 0, 1, 4, 4, o);
    case Field::kTos:
      return v6_ ? change_bits(ip_, 0, 4, 20, 8, o) : change_bits(ip_, 1, 1, 0, 8, o);
    case Field::kDscp:
      return v6_ ? change_bits(ip_, 0, 4, 22, 6, o) : change_bits(ip_, 1, 1, 2, 6, o);
    case Field::kEcn:
      return v6_ ? change_bits(ip_, 0, 4, 20, 2, o) : change_bits(ip_, 1, 1, 0, 2, o);
    case Field::kId:
      return v4_only(4, 2, 0, 16);
    case Field::kDf:
      return v4_only(6, 2, 14, 1);
    case Field::kMf:
      return v4_only(6, 2, 13, 1);
    case Field::kOffset:
      return v4_only(6, 2, 0, 13);
    case Field::kTtl:
      return change_bits(ip_, v6_ ? 7 : 8, 1, 0, 8, o);
    case Field::kFlowLabel:
      if (!v6_) refuse("a flow label exists only with IPv6");
      return change_bits(ip_, 0, 4, 0, 20, o);
    case Field::kIpChecksum:
      keep_ip_checksum_ = true;
      return v4_only(10, 2, 0, 16);
    case Field::kSourceIp:
      return change_address(ip_, v6_ ? 20 : 12, o);
    case Field::kDestIp:
      return change_address(ip_, v6_ ? 36 : 16, o);
    default:
      return;
  }
}

void FrameDraft::change_udp(const Override& o) {
  if (udp_.empty()) refuse("RoCE v1 has no UDP header");
  switch (o.field) {
    case Field::kSourcePort:
      return change_bits(udp_, 0, 2, 0, 16, o);
    case Field::kDestPort:
      return change_bits(udp_, 2, 2, 0, 16, o);
    case Field::kUdpLength:
      return change_bits(udp_, 4, 2, 0, 16, o);
    default:
      return o.word == "right" ? store_be16(&udp_[6], udp_checksum()) : change_bits(udp_, 6, 2, 0, 16, o);
  }
}

void FrameDraft::change_ethernet(const Override& o) {
  if (o.field == Field::kDestMac) return change_mac(0, o);
  if (o.field == Field::kSourceMac) return change_mac(6, o);
  if (ethernet_.size() == roce::kEthernetSize) {
    constexpr std::uint8_t kTag[] = {0x81, 0x00, 0x00, 0x00};
    ethernet_.insert(ethernet_.begin() + 12, std::begin(kTag), std::end(kTag));
  }
  return o.field == Field::kVid ? change_bits(ethernet_, 14, 2, 0, 12, o)
                                : change_bits(ethernet_, 14, 2, 13, 3, o);
}

void FrameDraft::change(const Override& o) {
  switch (o.field) {
    case Field::kRegion:
    case Field::kAt:
    case Field::kFill:
      if (late_) refuse("region, at and fill cannot change on the way");
      return;  // the ScriptPacket already contains the effect of these options
    case Field::kVa:
    case Field::kRkey:
    case Field::kLength:
    case Field::kImmediate:
    case Field::kSwap:
    case Field::kCompare:
      return change_extended(o);
    case Field::kVersion:
    case Field::kTos:
    case Field::kDscp:
    case Field::kEcn:
    case Field::kId:
    case Field::kDf:
    case Field::kMf:
    case Field::kOffset:
    case Field::kTtl:
    case Field::kFlowLabel:
    case Field::kIpChecksum:
    case Field::kSourceIp:
    case Field::kDestIp:
      return change_ip(o);
    case Field::kSourcePort:
    case Field::kDestPort:
    case Field::kUdpLength:
    case Field::kUdpChecksum:
      return change_udp(o);
    case Field::kDestMac:
    case Field::kSourceMac:
    case Field::kVid:
    case Field::kPcp:
      return change_ethernet(o);
    case Field::kIcrc:
      return change_icrc(o);
    case Field::kIhl:
    case Field::kRoceV1:
    case Field::kCut:
    case Field::kTrail:
    case Field::kSplit:
      return change_shape(o);
    default:
      return change_transport(o);
  }
}

}  // namespace softfeb::conformance
