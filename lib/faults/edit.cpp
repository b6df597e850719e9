// SPDX-License-Identifier: BSD-3-Clause
#include "faults/edit.hpp"

#include "roce/headers.hpp"
#include "roce/icrc.hpp"
#include "roce/ip.hpp"
#include "roce/opcode.hpp"

#include <algorithm>
#include <array>

namespace softfeb::faults {
namespace {

constexpr std::size_t kChecksumAt = 10;  ///< offset of the checksum in the IPv4 header

/// Construct this object before an IPv4 header is changed. The destructor updates the header's checksum. A
/// checksum that was wrong before remains wrong.
class ChecksumGuard {
 public:
  /// If `off` is true, the guard does nothing. Callers set it for IPv6 headers, and if the checksum itself is
  /// to be corrupted.
  ChecksumGuard(std::uint8_t* ip, bool off) : ip_(off ? nullptr : ip) {
    if (ip_ != nullptr) before_ = right();
  }
  ~ChecksumGuard() {
    if (ip_ == nullptr) return;
    const std::uint16_t stored = load_be16(ip_ + kChecksumAt);
    store_be16(ip_ + kChecksumAt, static_cast<std::uint16_t>(stored ^ before_ ^ right()));
  }
  ChecksumGuard(const ChecksumGuard&) = delete;
  ChecksumGuard& operator=(const ChecksumGuard&) = delete;

 private:
  /// Returns the correct checksum of the header.
  std::uint16_t right() const {
    std::array<std::uint8_t, roce::kIpv4Size> header;
    std::copy_n(ip_, header.size(), header.begin());
    store_be16(&header[kChecksumAt], 0);
    return roce::internet_checksum(header);
  }

  std::uint8_t* ip_;
  std::uint16_t before_ = 0;
};

/// Returns the traffic class (IPv6) or TOS byte (IPv4): DSCP in the upper six bits, ECN in the lower two.
std::uint8_t traffic_class(const std::uint8_t* ip, bool ipv6) {
  return ipv6 ? static_cast<std::uint8_t>(load_be16(ip) >> 4) : ip[1];
}

void set_traffic_class(std::uint8_t* ip, bool ipv6, std::uint8_t value) {
  const ChecksumGuard guard(ip, ipv6);
  if (ipv6) {
    store_be16(ip, static_cast<std::uint16_t>((load_be16(ip) & 0xf00f) | (value << 4)));
  } else {
    ip[1] = value;
  }
}

bool mark(const FaultAction& action, std::uint8_t* ip, bool ipv6) {
  constexpr unsigned kEcnBits = 3;
  const std::uint8_t old = traffic_class(ip, ipv6);
  switch (action.kind) {
    case ActionKind::kMarkCe:
      if ((old & kEcnBits) == static_cast<unsigned>(roce::Ecn::kNotEct)) return false;
      set_traffic_class(ip, ipv6, static_cast<std::uint8_t>(old | kEcnBits));
      return true;
    case ActionKind::kSetEcn:
      set_traffic_class(ip, ipv6, static_cast<std::uint8_t>((old & ~kEcnBits) | (action.value & kEcnBits)));
      return true;
    case ActionKind::kSetDscp:
      set_traffic_class(ip, ipv6, static_cast<std::uint8_t>((action.value << 2) | (old & kEcnBits)));
      return true;
    default: {
      const ChecksumGuard guard(ip, ipv6);
      ip[ipv6 ? 7 : 8] = static_cast<std::uint8_t>(action.value);
      return true;
    }
  }
}

/// Returns the offset of the end of the iCRC, according to the length in the IP header. Returns nullopt if
/// the frame ends before this offset, or has no room for a BTH and an iCRC.
std::optional<std::size_t> end_of_packet(ByteSpan frame, const RoceLocation& at) {
  const std::size_t end = at.ipv6 ? at.ip + roce::kIpv6Size + load_be16(&frame[at.ip + 4])
                                  : std::size_t{at.ip} + load_be16(&frame[at.ip + 2]);
  if (end > frame.size() || end < at.bth + roce::Bth::kSize + roce::kIcrcSize) return std::nullopt;
  return end;
}

/// Where the parts that follow the BTH begin: offsets from the start of the frame.
struct Layout {
  std::size_t reth = 0, immediate = 0;  ///< 0 if the packet has no such header
  std::size_t payload = 0;
  std::size_t pad = 0;  ///< start of the pad, which is the end of the payload
  std::size_t icrc = 0;
};

std::optional<Layout> layout_of(ByteSpan frame, const RoceLocation& at) {
  const auto end = end_of_packet(frame, at);
  if (!end) return std::nullopt;
  Layout l;
  l.icrc = *end - roce::kIcrcSize;
  l.payload = at.bth + roce::Bth::kSize;
  const std::uint8_t opcode = frame[at.bth];
  const roce::Operation op = roce::opcode_operation(opcode);
  if (opcode == roce::kOpcodeRcAck) {
    l.payload += roce::Aeth::kSize;
  } else if (opcode != roce::kOpcodeCnp && roce::is_request(op)) {
    if (roce::has_reth(op)) {
      l.reth = l.payload;
      l.payload += roce::Reth::kSize;
    }
    if (roce::has_immediate(op)) {
      l.immediate = l.payload;
      l.payload += roce::ImmDt::kSize;
    }
  }
  l.pad = l.icrc - ((frame[at.bth + 1] >> 4) & 3U);
  if (l.payload > l.pad) return std::nullopt;
  return l;
}

/// Returns the offset of the action's target in the frame; nullopt if the packet does not contain the target.
std::optional<std::size_t> place_of(const FaultAction& a, const Layout& l, const RoceLocation& at) {
  const auto if_any = [](std::size_t base, std::size_t offset) {
    return base == 0 ? std::nullopt : std::optional(base + offset);
  };
  switch (a.target) {
    case CorruptTarget::kIcrc:
      return l.icrc;
    case CorruptTarget::kPayload:
      return a.offset < l.pad - l.payload ? std::optional(l.payload + a.offset) : std::nullopt;
    case CorruptTarget::kPad:
      return l.pad != l.icrc ? std::optional(l.pad) : std::nullopt;
    case CorruptTarget::kByte:
      return a.offset;
    case CorruptTarget::kBthOpcode:
      return at.bth;
    case CorruptTarget::kBthPkey:
      return at.bth + 2;
    case CorruptTarget::kBthByte4:
      return at.bth + 4;
    case CorruptTarget::kBthDestQp:
      return at.bth + 5;
    case CorruptTarget::kBthPsn:
      return at.bth + 9;
    case CorruptTarget::kRethVa:
      return if_any(l.reth, 0);
    case CorruptTarget::kRethRkey:
      return if_any(l.reth, 8);
    case CorruptTarget::kRethLength:
      return if_any(l.reth, 12);
    case CorruptTarget::kImmediate:
      return if_any(l.immediate, 0);
    case CorruptTarget::kIpId:
      return at.ipv6 ? std::nullopt : std::optional<std::size_t>(at.ip + 4);
    case CorruptTarget::kIpChecksum:
      return at.ipv6 ? std::nullopt : std::optional<std::size_t>(at.ip + kChecksumAt);
    case CorruptTarget::kUdpSport:
      return at.ip + (at.ipv6 ? roce::kIpv6Size : roce::kIpv4Size);
  }
  return std::nullopt;
}

void flip(MutableByteSpan bytes, std::uint64_t mask) {
  for (std::size_t i = bytes.size(); i-- != 0; mask >>= 8)
    bytes[i] = static_cast<std::uint8_t>(bytes[i] ^ mask);
}

void flip_in_ip_header(MutableByteSpan target, std::uint8_t* ip, const FaultAction& action) {
  const auto offset = static_cast<std::size_t>(target.data() - ip);
  const bool checksum = offset == kChecksumAt || offset == kChecksumAt + 1;
  const ChecksumGuard guard(ip, checksum);
  flip(target, action.mask);
}

/// True if the action leaves the version field of the IP header intact. The iCRC cannot be recomputed for a
/// header with a wrong version.
bool keeps_version(const FaultAction& action, std::size_t place, ByteSpan frame, const RoceLocation& at) {
  const unsigned byte = frame[at.ip] ^ (place == at.ip ? static_cast<unsigned>(action.mask) : 0U);
  return (byte & 0xf0) == (at.ipv6 ? 0x60U : 0x40U);
}

bool corrupt(const FaultAction& action, MutableByteSpan frame, const RoceLocation& at) {
  const auto layout = layout_of(frame, at);
  if (!layout) return false;
  const auto place = place_of(action, *layout, at);
  const std::size_t width = width_of(action.target);
  if (!place || *place > frame.size() || frame.size() - *place < width) return false;
  if (action.right_icrc && (at.bth != at.content || !keeps_version(action, *place, frame, at))) return false;
  const bool in_ipv4 = !at.ipv6 && *place >= at.ip && *place < at.ip + roce::kIpv4Size;
  const MutableByteSpan target = frame.subspan(*place, width);
  if (in_ipv4) {
    flip_in_ip_header(target, frame.data() + at.ip, action);
  } else {
    flip(target, action.mask);
  }
  if (action.right_icrc) {
    const ByteSpan datagram = ByteSpan(frame).subspan(at.ip, layout->icrc - at.ip);
    store_le32(&frame[layout->icrc], roce::icrc_of(Segments(datagram)));
  }
  return true;
}

}  // namespace

bool set_congestion_experienced(std::uint8_t* ip, bool ipv6) {
  const unsigned ecn = traffic_class(ip, ipv6) & 3U;
  if (ecn == static_cast<unsigned>(roce::Ecn::kCe)) return false;
  return mark({.kind = ActionKind::kMarkCe}, ip, ipv6);
}

std::optional<std::size_t> edit(const FaultAction& action, MutableByteSpan frame, const RoceLocation& at) {
  switch (action.kind) {
    case ActionKind::kMarkCe:
    case ActionKind::kSetEcn:
    case ActionKind::kSetDscp:
    case ActionKind::kSetTtl:
      if (!mark(action, frame.data() + at.ip, at.ipv6)) return std::nullopt;
      return frame.size();
    case ActionKind::kCorrupt:
      if (!corrupt(action, frame, at)) return std::nullopt;
      return frame.size();
    case ActionKind::kTruncate:
      // An Ethernet header must remain.
      if (frame.size() < roce::kEthernetSize + std::size_t{action.value}) return std::nullopt;
      return frame.size() - action.value;
    default:
      return std::nullopt;
  }
}

}  // namespace softfeb::faults
