// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: sends frames that are not RoCE to boards and receivers: ARP, ICMP, ICMPv6 with neighbour
// discovery, pause frames, datagrams, and anything else. Lower layers are valid if the record says so. The
// queue pairs of other senders must still finish. The input consists of records: kind, destination, length,
// bytes.
#include "engine/control_frame.hpp"
#include "fuzz_support.hpp"
#include "roce/mac_control.hpp"

#include <algorithm>

using namespace softfeb;
using namespace softfeb::fuzz;

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kMaxContent = 512;

enum Kind : std::uint8_t { kArp, kIcmp, kPauseFrame, kDatagram, kRaw, kKinds };

/// Writes Ethernet and IP headers in front of `content`, with valid lengths and checksums.
Bytes ip_frame(const Pair& pair, const Party& to, std::uint8_t protocol, Bytes content) {
  const roce::HeaderTemplate headers(path_to(pair, to));
  Bytes frame(headers.size());
  headers.write(frame.data(), 0, 1);
  const std::size_t ip = headers.ip_offset(), size = pair.v6 ? roce::kIpv6Size : roce::kIpv4Size;
  frame.resize(ip + size);
  frame[ip + (pair.v6 ? 6 : 9)] = protocol;
  const std::size_t length = content.size() + (pair.v6 ? 0 : size);
  store_be16(&frame[ip + (pair.v6 ? 4 : 2)], static_cast<std::uint16_t>(length));
  if (!pair.v6) {
    store_be16(&frame[ip + 10], 0);
    store_be16(&frame[ip + 10], roce::internet_checksum({&frame[ip], size}));
  }
  frame.insert(frame.end(), content.begin(), content.end());
  return frame;
}

/// Returns the sum of the pseudo header of IPv6 (RFC 8200, section 8.1).
std::uint32_t pseudo_header(const Pair& pair, const Party& to, std::size_t length, std::uint8_t protocol) {
  std::uint32_t sum = static_cast<std::uint32_t>(length) + protocol;
  for (const roce::IpAddress* ip : {&pair.attacker.ip, &to.ip})
    for (std::size_t i = 0; i < 16; i += 2) sum += load_be16(&ip->bytes[i]);
  return sum;
}

Bytes icmp(const Pair& pair, const Party& to, Bytes content) {
  content.resize(std::max<std::size_t>(content.size(), 8));
  store_be16(&content[2], 0);
  const std::uint32_t start = pair.v6 ? pseudo_header(pair, to, content.size(), roce::kIpProtocolIcmpv6) : 0;
  store_be16(&content[2], roce::internet_checksum(content, start));
  Bytes frame =
      ip_frame(pair, to, pair.v6 ? roce::kIpProtocolIcmpv6 : roce::kIpProtocolIcmp, std::move(content));
  // Neighbour discovery needs a hop limit of 255 (RFC 4861, section 7.1).
  if (pair.v6) frame[(pair.vlan ? 18 : 14) + 7] = 255;
  return frame;
}

Bytes arp(const Pair& pair, const Party& to, const Bytes& content) {
  Bytes frame = ip_frame(pair, to, 0, {});
  frame.resize(pair.vlan ? 18 : 14);
  store_be16(&frame[frame.size() - 2], roce::kEtherTypeArp);
  static constexpr std::uint8_t kFixed[] = {0, 1, 8, 0, 6, 4, 0};
  frame.insert(frame.end(), std::begin(kFixed), std::end(kFixed));
  frame.insert(frame.end(), content.begin(), content.end());
  return frame;
}

Bytes pause_frame(const Pair& pair, const Party& to, const Bytes& content) {
  Bytes frame(to.mac.begin(), to.mac.end());
  if (!content.empty() && content[0] % 2 == 0)
    std::copy(roce::kPauseAddress.begin(), roce::kPauseAddress.end(), frame.begin());
  frame.insert(frame.end(), pair.attacker.mac.begin(), pair.attacker.mac.end());
  frame.insert(frame.end(), {0x88, 0x08});
  frame.insert(frame.end(), content.begin(), content.end());
  return frame;
}

Bytes datagram(const Pair& pair, const Party& to, Bytes content) {
  content.resize(std::max<std::size_t>(content.size(), roce::kUdpHeaderSize));
  static constexpr std::uint16_t kPorts[] = {8192, 8193, 4790, 319};
  store_be16(&content[2], kPorts[content[2] % 4]);
  store_be16(&content[4], static_cast<std::uint16_t>(content.size()));
  store_be16(&content[6], 0);
  return ip_frame(pair, to, roce::kIpProtocolUdp, std::move(content));
}

Bytes frame_of(std::uint8_t kind, const Pair& pair, const Party& to, Bytes content) {
  if (kind == kArp) return arp(pair, to, content);
  if (kind == kIcmp) return icmp(pair, to, std::move(content));
  if (kind == kPauseFrame) return pause_frame(pair, to, content);
  if (kind == kDatagram) return datagram(pair, to, std::move(content));
  std::copy_n(to.mac.begin(), std::min(content.size(), to.mac.size()), content.begin());
  return content;
}

void check_control(const Bytes& frame) {
  const auto datagram = engine::parse_control_datagram(ByteSpan(frame));
  if (!datagram) return;
  require(datagram->payload.size() < frame.size() && datagram->source_port != 0);
  require(datagram->dest_port == 8192 || datagram->dest_port == 8193);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  World world(2, true);
  // Any host on a network can claim any address. Only static neighbour entries cannot be changed by such
  // claims, so the parties have static entries for each other.
  for (const auto& pair : world.pairs)
    pair->receiver->host().neighbours().set_static(pair->board_party.ip, pair->board_party.mac);
  for (Input in(data, size); !in.empty();) {
    const std::uint8_t kind = in.byte() % kKinds, where = in.byte();
    const Pair& pair = *world.pairs[where % world.pairs.size()];
    const Party& to = (where & 2) != 0 ? pair.board_party : pair.receiver_party;
    const ByteSpan content = in.bytes(in.size(kMaxContent));
    const Bytes frame = frame_of(kind, pair, to, Bytes(content.begin(), content.end()));
    check_control(frame);
    world.inject(ByteSpan(frame));
    world.step(kMicrosecond);
  }
  finish(world);
  return 0;
}
