// SPDX-License-Identifier: BSD-3-Clause
#include "engine/host.hpp"

#include "engine/neighbour_discovery.hpp"

#include <algorithm>
#include <cstring>

namespace softfeb::engine {

namespace {

constexpr std::size_t kArpSize = 28;
constexpr std::uint16_t kArpRequest = 1;
constexpr std::uint16_t kArpReply = 2;
constexpr roce::MacAddress kBroadcast{0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

constexpr std::uint8_t kEchoRequest = 8;
constexpr std::uint8_t kEchoReply = 0;
constexpr std::uint8_t kEchoRequestV6 = 128;
constexpr std::uint8_t kEchoReplyV6 = 129;
constexpr std::size_t kIcmpHeader = 8;

}  // namespace

Host::Host(const Identity& identity) : identity_(identity) {
  for (auto& e : echo_) e.packet.reserve(kEchoRoom);
}

std::optional<roce::IpAddress> Host::on_arp(const roce::ParsedFrame& frame, Time now) {
  std::array<std::uint8_t, kArpSize> a;
  static constexpr std::array<std::uint8_t, 6> kIpv4OverEthernet{0, 1, 8, 0, 6, 4};
  if (frame.content.copy(0, a.size(), a.data()) < a.size() ||
      !std::equal(kIpv4OverEthernet.begin(), kIpv4OverEthernet.end(), a.begin())) {
    return std::nullopt;
  }
  const std::uint16_t operation = load_be16(&a[6]);
  roce::MacAddress sender_mac;
  std::memcpy(sender_mac.data(), &a[8], sender_mac.size());
  const auto sender = roce::IpAddress::from_v4_wire(&a[14]);
  const auto target = roce::IpAddress::from_v4_wire(&a[24]);
  if (target != identity_.ip || sender == identity_.ip) return std::nullopt;
  if (operation == kArpRequest) {
    ++counters_.arp_requests_rx;
    answer({sender_mac, sender});
    if (sender.v4() == 0) return std::nullopt;  // an ARP probe (RFC 5227) contains no sender address
  } else if (operation == kArpReply) {
    ++counters_.arp_replies_rx;
  } else {
    return std::nullopt;
  }
  neighbours_.learn(sender, sender_mac, now);
  return sender;
}

bool Host::on_discovery(const roce::ParsedFrame& frame, Time now, std::optional<roce::IpAddress>& learned) {
  const auto m = parse_neighbour_message(frame);
  if (!m || m->source == identity_.ip) return false;
  // Solicitations for duplicate address detection (RFC 4862) have no source address that could be learned.
  const bool unspecified = m->source == roce::IpAddress{};
  if (m->solicitation) {
    if (m->target != identity_.ip || unspecified) return false;
    ++counters_.arp_requests_rx;
    answer({m->link_address.value_or(frame.source_mac), m->source});
    if (m->link_address) learned = m->source;
  } else {
    ++counters_.arp_replies_rx;
    if (m->link_address) learned = m->target;
  }
  if (learned) neighbours_.learn(*learned, *m->link_address, now);
  return true;
}

bool Host::on_icmp(const roce::ParsedFrame& frame) {
  std::array<std::uint8_t, kIcmpHeader> h;
  const std::uint8_t wanted = frame.dest_ip.is_v4() ? kEchoRequest : kEchoRequestV6;
  if (frame.content.copy(0, h.size(), h.data()) < h.size() || h[0] != wanted) return false;
  if (frame.datagram.size() > kEchoRoom || echo_count_ == kEchoQueue) {
    ++counters_.answers_dropped;
    return true;
  }
  return queue_echo(frame);
}

bool Host::queue_echo(const roce::ParsedFrame& frame) {
  const bool v4 = frame.dest_ip.is_v4();
  const std::size_t header = v4 ? roce::kIpv4Size : roce::kIpv6Size;
  EchoOut& e = echo_[(echo_first_ + echo_count_) % kEchoQueue];
  e.mac = frame.source_mac;
  e.packet.resize(frame.datagram.size());
  frame.datagram.copy(0, e.packet.size(), e.packet.data());
  const ByteSpan message = ByteSpan(e.packet).subspan(header);
  // The sum covers both addresses, so swapping source and destination does not change it.
  const auto sum = [&] {
    return v4 ? roce::internet_checksum(message) : icmpv6_checksum(frame.source_ip, frame.dest_ip, message);
  };
  if (sum() != 0) return false;
  std::uint8_t* const ip = e.packet.data();
  if (v4) {
    std::swap_ranges(ip + 12, ip + 16, ip + 16);
    ip[8] = 64;
    store_be16(ip + 10, 0);
    store_be16(ip + 10, roce::internet_checksum(ByteSpan(ip, roce::kIpv4Size)));
  } else {
    std::swap_ranges(ip + 8, ip + 24, ip + 24);
    ip[7] = 64;
  }
  std::uint8_t* const icmp = ip + header;
  icmp[0] = v4 ? kEchoReply : kEchoReplyV6;
  store_be16(icmp + 2, 0);
  store_be16(icmp + 2, sum());
  ++echo_count_;
  return true;
}

void Host::answer(const NeighbourAnswers::Asker& asker) {
  if (!answers_.push(asker)) ++counters_.answers_dropped;
}

void Host::write_request(const roce::IpAddress& ip, TxFrame& out) {
  write({false, kBroadcast, ip}, out);
  ++counters_.arp_requests_tx;
}

std::uint8_t* Host::write_ethernet(std::uint8_t* p, const roce::MacAddress& to,
                                   std::uint16_t ether_type) const {
  p = std::copy(to.begin(), to.end(), p);
  p = std::copy(identity_.mac.begin(), identity_.mac.end(), p);
  if (identity_.vlan) {
    store_be16(p, roce::kEtherTypeVlan);
    store_be16(p + 2, static_cast<std::uint16_t>((identity_.vlan->pcp << 13) | identity_.vlan->id));
    p += roce::kVlanTagSize;
  }
  store_be16(p, ether_type);
  return p + 2;
}

void Host::write_arp(const NeighbourOut& arp, TxFrame& out) const {
  std::uint8_t* p = write_ethernet(out.header, arp.mac, roce::kEtherTypeArp);
  static constexpr std::array<std::uint8_t, 6> kFixed{0, 1, 8, 0, 6, 4};
  p = std::copy(kFixed.begin(), kFixed.end(), p);
  store_be16(p, arp.reply ? kArpReply : kArpRequest);
  p = std::copy(identity_.mac.begin(), identity_.mac.end(), p + 2);
  p = std::copy(identity_.ip.bytes.begin() + 12, identity_.ip.bytes.end(), p);
  const roce::MacAddress target = arp.reply ? arp.mac : roce::MacAddress{};
  p = std::copy(target.begin(), target.end(), p);
  p = std::copy(arp.ip.bytes.begin() + 12, arp.ip.bytes.end(), p);
  out.header_length = static_cast<std::uint16_t>(p - out.header);
}

void Host::write_discovery(const NeighbourOut& n, TxFrame& out) const {
  const roce::MacAddress to = n.reply ? n.mac : multicast_mac(solicited_node(n.ip));
  std::uint8_t* const p = write_ethernet(out.header, to, roce::kEtherTypeIpv6);
  if (n.reply) {
    write_advertisement(identity_, n.ip, p);
  } else {
    write_solicitation(identity_, n.ip, p);
  }
  out.header_length = static_cast<std::uint16_t>(p + kNeighbourMessageSize - out.header);
}

void Host::write(const NeighbourOut& n, TxFrame& out) const {
  out = TxFrame{.header = out.header};
  if (n.ip.is_v4()) {
    write_arp(n, out);
  } else {
    write_discovery(n, out);
  }
}

void Host::write_echo(const EchoOut& echo, TxFrame& out) const {
  const bool v4 = (echo.packet[0] >> 4) == 4;
  const std::uint8_t* const p =
      write_ethernet(out.header, echo.mac, v4 ? roce::kEtherTypeIpv4 : roce::kEtherTypeIpv6);
  out.header_length = static_cast<std::uint16_t>(p - out.header);
  out.payload = echo.packet.data();
  out.payload_length = static_cast<std::uint32_t>(echo.packet.size());
  out.transient_payload = true;
}

std::size_t Host::poll(std::span<TxFrame> out) {
  std::size_t n = 0;
  for (; n < out.size() && !answers_.empty(); ++n, answers_.pop()) {
    const NeighbourAnswers::Asker& asker = answers_.front();
    write({true, asker.mac, asker.ip}, out[n]);
    ++counters_.arp_replies_tx;
  }
  for (; n < out.size() && echo_count_ != 0; ++n, --echo_count_) {
    out[n] = TxFrame{.header = out[n].header};
    write_echo(echo_[echo_first_], out[n]);
    ++counters_.echo_replies_tx;
    echo_first_ = (echo_first_ + 1) % kEchoQueue;
  }
  return n;
}

}  // namespace softfeb::engine
