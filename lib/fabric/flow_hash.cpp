// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/flow_hash.hpp"

#include "base/bytes.hpp"
#include "base/rng.hpp"
#include "fabric/facts.hpp"
#include "fabric/multipath_config.hpp"
#include "roce/congestion_header.hpp"
#include "roce/headers.hpp"
#include "roce/ip.hpp"

#include <algorithm>

namespace softfeb::fabric {

namespace {

constexpr std::uint8_t kIpProtocolTcp = 6;
constexpr std::size_t kPortsSize = 4;

/// Hashes words with the finalizer of splitmix64. Hashes with different seeds are independent. CRCs with
/// different seeds would not be independent, because another seed flips the same bits in all CRCs.
class Hash {
 public:
  explicit Hash(std::uint64_t seed) : value_(Rng(seed).next()) {}
  void add(std::uint64_t word) { value_ = Rng(value_ + word).next(); }
  void add_if(bool selected, std::uint64_t word) {
    if (selected) add(word);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_;
};

/// The protocol of an IP packet and its transport header. `transport` is empty for fragments.
struct IpContent {
  std::uint8_t protocol = 0;
  ByteSpan transport;
};

IpContent add_ipv4(Hash& hash, ByteSpan ip, std::uint8_t fields) {
  hash.add_if((fields & kHashSourceIp) != 0, load_be32(&ip[12]));
  hash.add_if((fields & kHashDestinationIp) != 0, load_be32(&ip[16]));
  const std::size_t size = std::size_t{ip[0]} % 16 * 4;
  // Only the first fragment of a datagram contains the ports, so the hash must not use them for any fragment.
  const bool fragment = (load_be16(&ip[6]) & 0x3fff) != 0;
  if (fragment || size < roce::kIpv4Size || size > ip.size()) return {ip[9], {}};
  return {ip[9], ip.subspan(size)};
}

IpContent add_ipv6(Hash& hash, ByteSpan ip, std::uint8_t fields) {
  for (const auto& [field, at] : {std::pair{kHashSourceIp, 8}, std::pair{kHashDestinationIp, 24}}) {
    if ((fields & field) == 0) continue;
    hash.add(load_be64(ip.data() + at));
    hash.add(load_be64(ip.data() + at + 8));
  }
  return {ip[6], ip.subspan(roce::kIpv6Size)};
}

/// Adds the DestQP of a UDP datagram to the hash if the datagram is a RoCEv2 packet.
void add_dest_qp(Hash& hash, const Frame& frame, ByteSpan udp) {
  if (udp.size() < roce::kUdpHeaderSize) return;
  ByteSpan bth = udp.subspan(roce::kUdpHeaderSize);
  if (frame.cch != 0) {
    const ByteSpan content = cch_bytes(frame);
    const auto cch = roce::CongestionHeader::decode(content);
    if (!cch) return;
    bth = content.subspan(cch->size());
  } else if (load_be16(&udp[2]) != roce::kRoceUdpPort) {
    return;
  }
  if (const auto decoded = roce::Bth::decode(bth)) hash.add(decoded->dest_qp);
}

}  // namespace

std::uint64_t flow_hash(const Frame& frame, std::uint8_t fields, std::uint64_t seed) {
  Hash hash(seed);
  const ByteSpan header(frame.header, std::min<std::size_t>(frame.header_length, frame.length));
  const bool v4 = (frame.facts & kFactIpv4) != 0;
  if (!v4 && (frame.facts & kFactIpv6) == 0) {
    hash.add(load_be64(header.data()));
    hash.add(load_be32(header.data() + 8));
    return hash.value();
  }
  const ByteSpan ip = header.subspan(ip_offset(frame));
  const IpContent content = v4 ? add_ipv4(hash, ip, fields) : add_ipv6(hash, ip, fields);
  hash.add_if((fields & kHashProtocol) != 0, content.protocol);
  const bool udp = content.protocol == roce::kIpProtocolUdp;
  if ((!udp && content.protocol != kIpProtocolTcp) || content.transport.size() < kPortsSize)
    return hash.value();
  hash.add_if((fields & kHashSourcePort) != 0, load_be16(&content.transport[0]));
  hash.add_if((fields & kHashDestinationPort) != 0, load_be16(&content.transport[2]));
  if (udp && (fields & kHashDestQp) != 0) add_dest_qp(hash, frame, content.transport);
  return hash.value();
}

}  // namespace softfeb::fabric
