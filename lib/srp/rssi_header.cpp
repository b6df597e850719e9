// SPDX-License-Identifier: BSD-3-Clause
#include "srp/rssi_header.hpp"

namespace softfeb::srp::rssi {

namespace {

constexpr std::uint8_t kAlwaysSet = 0x08;
constexpr std::uint8_t kChecksumEnable = 0x04;

void put_common(const Header& header, std::size_t size, std::uint8_t* out) {
  out[0] = header.flags;
  out[1] = static_cast<std::uint8_t>(size);
  out[2] = header.sequence;
  out[3] = header.acknowledge;
}

void seal(std::uint8_t* header, std::size_t size) {
  store_be16(header + size - 2, checksum(ByteSpan(header, size)));
}

std::size_t header_size(std::uint8_t flags) { return (flags & kSyn) != 0 ? kSynSize : kHeaderSize; }

Syn decode_syn(const std::uint8_t* p) {
  Syn syn;
  syn.version = p[4] >> 4;
  syn.checksum = (p[4] & kChecksumEnable) != 0;
  syn.parameters.max_outstanding = p[5];
  syn.parameters.max_segment = load_be16(p + 6);
  syn.parameters.retransmit_ms = load_be16(p + 8);
  syn.parameters.cumulative_ack_ms = load_be16(p + 10);
  syn.parameters.null_ms = load_be16(p + 12);
  syn.parameters.max_retransmissions = p[14];
  syn.parameters.max_cumulative_acks = p[15];
  syn.max_out_of_sequence = p[16];
  syn.timeout_unit = p[17];
  syn.connection_id = load_be32(p + 18);
  return syn;
}

}  // namespace

std::uint16_t checksum(ByteSpan header) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i + 4 <= header.size(); i += 2) sum += load_be16(&header[i]);
  return static_cast<std::uint16_t>(~((sum & 0xffff) + (sum >> 16)));
}

void encode(const Header& header, std::uint8_t* out) {
  put_common(header, kHeaderSize, out);
  store_be16(out + 4, 0);
  seal(out, kHeaderSize);
}

std::array<std::uint8_t, kSynSize> encode_syn(const Header& header, const Syn& syn) {
  std::array<std::uint8_t, kSynSize> out;
  const RssiParameters& p = syn.parameters;
  put_common(header, kSynSize, out.data());
  out[4] = static_cast<std::uint8_t>((syn.version << 4) | kAlwaysSet | (syn.checksum ? kChecksumEnable : 0));
  out[5] = p.max_outstanding;
  store_be16(&out[6], p.max_segment);
  store_be16(&out[8], p.retransmit_ms);
  store_be16(&out[10], p.cumulative_ack_ms);
  store_be16(&out[12], p.null_ms);
  out[14] = p.max_retransmissions;
  out[15] = p.max_cumulative_acks;
  out[16] = syn.max_out_of_sequence;
  out[17] = syn.timeout_unit;
  store_be32(&out[18], syn.connection_id);
  seal(out.data(), kSynSize);
  return out;
}

const char* fault_of(ByteSpan datagram) {
  if (datagram.size() < kHeaderSize) return "datagram shorter than an RSSI header";
  const std::uint8_t flags = datagram[0];
  const std::size_t size = header_size(flags);
  if (datagram[1] != size) return "wrong header length";
  if (datagram.size() < size) return "datagram shorter than its header";
  if (load_be16(&datagram[size - 2]) != checksum(datagram.first(size))) return "wrong header checksum";
  if (datagram.size() > size && (flags & (kSyn | kRst | kNul)) != 0) return "data in a SYN, RST or NUL";
  return nullptr;
}

std::optional<Segment> parse(ByteSpan datagram) {
  if (fault_of(datagram) != nullptr) return std::nullopt;
  Segment segment;
  segment.header = {datagram[0], datagram[2], datagram[3]};
  segment.payload = datagram.subspan(header_size(datagram[0]));
  if (segment.has(kSyn)) segment.syn = decode_syn(datagram.data());
  return segment;
}

}  // namespace softfeb::srp::rssi
