// SPDX-License-Identifier: BSD-3-Clause
// Makes non-RoCE frames, control frames and headers of congestion control, and mutations. Also corrupts
// packets that a victim would otherwise rightly accept.
#include "engine/credit_frame.hpp"
#include "forge.hpp"
#include "roce/congestion_frame.hpp"
#include "roce/icrc.hpp"
#include "roce/mac_control.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace softfeb::fuzz {

namespace {

constexpr std::size_t ip_offset(const Pair& pair) { return pair.vlan ? 18 : 14; }
constexpr std::size_t ip_size(const Pair& pair) { return pair.v6 ? roce::kIpv6Size : roce::kIpv4Size; }

}  // namespace

void Forge::make_arp(const Pair& pair) {
  const Party& to = often(50) ? pair.receiver_party : pair.board_party;
  const roce::HeaderTemplate headers(path(pair.attacker, to, pair));
  headers.write(frame_.data(), 0, 0);
  std::uint8_t* p = frame_.data() + ip_offset(pair);
  store_be16(p - 2, roce::kEtherTypeArp);
  static constexpr std::array<std::uint8_t, 6> kFixed{0, 1, 8, 0, 6, 4};
  std::copy(kFixed.begin(), kFixed.end(), p);
  store_be16(p + 6, static_cast<std::uint16_t>(1 + rng_.below(often(90) ? 2 : 5)));
  std::copy(pair.attacker.mac.begin(), pair.attacker.mac.end(), p + 8);
  // The frame claims that an IP address belongs to the attacker. Frames with the receiver's address overwrite
  // a neighbour entry. Frames with other addresses add entries, which in time fill the table.
  const roce::IpAddress claimed = often(30) ? pair.receiver_party.ip : pair.attacker.ip.plus(odd_number());
  std::memcpy(p + 14, &claimed.bytes[12], 4);
  std::memset(p + 18, 0, 6);
  std::memcpy(p + 24, &to.ip.bytes[12], 4);
  size_ = ip_offset(pair) + 28 + rng_.below(20);
}

void Forge::make_icmp(const Pair& pair) {
  const Party& to = often(50) ? pair.receiver_party : pair.board_party;
  const std::size_t n = 8 + rng_.below(often(97) ? 64 : 9300);
  std::memset(transport_.data(), 0x5a, n);
  transport_[0] = often(90) ? 8 : static_cast<std::uint8_t>(rng_.next());
  store_be16(&transport_[2], 0);
  if (often(90)) store_be16(&transport_[2], roce::internet_checksum({transport_.data(), n}));
  const std::size_t at = ip_offset(pair);
  put_datagram(path(pair.attacker, to, pair), n);
  // The IP header was built for UDP with an iCRC. Change it for ICMP.
  std::uint8_t* const ip = frame_.data() + at;
  std::copy_n(transport_.data(), n, ip + ip_size(pair));
  size_ = at + ip_size(pair) + n;
  ip[pair.v6 ? 6 : 9] = pair.v6 ? roce::kIpProtocolIcmpv6 : roce::kIpProtocolIcmp;
  store_be16(ip + (pair.v6 ? 4 : 2), static_cast<std::uint16_t>(pair.v6 ? n : n + roce::kIpv4Size));
  if (pair.v6) return;
  store_be16(ip + 10, 0);
  store_be16(ip + 10, roce::internet_checksum({ip, roce::kIpv4Size}));
}

void Forge::make_datagram(const Pair& pair) {
  static constexpr std::array<std::uint16_t, 6> kPorts{8192, 8193, 4791, 53, 0, 65535};
  const std::size_t n = rng_.below(often(97) ? 200 : 9000);
  put_datagram(path(pair.attacker, often(50) ? pair.receiver_party : pair.board_party, pair), n,
               kPorts[rng_.below(kPorts.size())]);
}

void Forge::make_noise(const Pair& pair) {
  size_ = rng_.below(often(95) ? 128 : 2000);
  for (std::size_t i = 0; i < size_; ++i) frame_[i] = static_cast<std::uint8_t>(rng_.next());
  if (often(70) && size_ > 14)
    std::copy(pair.board_party.mac.begin(), pair.board_party.mac.end(), frame_.begin());
  if (often(70) && size_ > 14)
    store_be16(&frame_[12], often(50) ? roce::kEtherTypeIpv4 : roce::kEtherTypeIpv6);
}

/// Makes a pause frame with a short pause. Any station on the link may pause a sender, and with longer
/// pauses, the victims could not finish within the test's time.
void Forge::make_pause(const Pair& pair) {
  roce::MacControl c;
  c.kind = often(60) ? roce::MacControl::Kind::kPause : roce::MacControl::Kind::kPfc;
  c.enabled = static_cast<std::uint8_t>(rng_.next());
  for (std::uint16_t& q : c.quanta) q = static_cast<std::uint16_t>(rng_.below(often(80) ? 20 : 200));
  const Party& to = often(50) ? pair.receiver_party : pair.board_party;
  const auto f = roce::write_mac_control(pair.attacker.mac, often(30) ? roce::kPauseAddress : to.mac, c);
  std::copy(f.begin(), f.end(), frame_.begin());
  size_ = often(80) ? f.size() : rng_.below(f.size());
}

/// Makes a GRANT or RESEND for a target of the board, or a BUSY for a target of the receiver.
void Forge::make_credit(const Pair& pair) {
  const std::size_t qp = kVictims + rng_.below(kTargets);
  const bool busy = often(20);
  roce::CreditBody credit;
  credit.kind = busy ? roce::CreditBody::kBusy
                     : static_cast<std::uint8_t>(often(95) ? 1 + rng_.below(2) : odd_number());
  credit.priority = static_cast<std::uint8_t>(odd_number());
  credit.last_psn = roce::psn_add(pair.last_psn[qp],
                                  often(90) ? static_cast<std::uint32_t>(rng_.below(200)) : odd_number());
  credit.first_missing = roce::psn_add(
      pair.last_psn[qp], often(90) ? 2 - static_cast<std::uint32_t>(rng_.below(6)) : odd_number());
  roce::Path way = path(pair.attacker, busy ? pair.receiver_party : pair.board_party, pair);
  engine::TxFrame out{.header = frame_.data()};
  const roce::Qpn dest = (busy ? kReceiverQpn : kBoardQpn) + static_cast<roce::Qpn>(qp);
  engine::write_control_frame({roce::HeaderTemplate(way), roce::kCongestionUdpPort, dest, roce::kDefaultPkey},
                              credit, 0, out);
  std::memcpy(frame_.data() + out.header_length, out.trailer.data(), out.trailer_length);
  size_ = out.length();
}

/// Puts a congestion control header between the UDP header and the BTH of a RoCEv2 packet. The profile of the
/// header is random. Sometimes the header is invalid, or marks the packet as an echo or a control frame. The
/// rest of the packet, which may be invalid as well, does not change.
void Forge::add_congestion_header(const Pair& pair) {
  const std::size_t udp = ip_offset(pair) + ip_size(pair), bth = udp + roce::kUdpHeaderSize;
  if (size_ < bth + roce::Bth::kSize || size_ + roce::CongestionHeader::kMaxSize > kRoom) return;
  if (load_be16(&frame_[udp + 2]) != roce::kRoceUdpPort) return;
  std::array<std::uint8_t, roce::CongestionHeader::kMaxBody> body;
  for (std::uint8_t& b : body) b = static_cast<std::uint8_t>(rng_.next());
  static constexpr std::array<std::uint8_t, 5> kProfiles{1, 2, 3, 0xf0, 0xff};
  static constexpr std::array<std::size_t, 5> kSizes{8, 40, 12, 0, 56};
  const std::size_t kind = rng_.below(kProfiles.size());
  roce::CongestionHeader header;
  header.profile = often(95) ? kProfiles[kind] : static_cast<std::uint8_t>(rng_.next());
  header.body = ByteSpan(body).first(often(95) ? kSizes[kind] : 4 * rng_.below(body.size() / 4 + 1));
  header.hops = static_cast<std::uint8_t>(odd_number());
  header.flags = often(40) ? roce::CongestionHeader::kEcho : static_cast<std::uint8_t>(rng_.below(16));
  std::array<std::uint8_t, roce::CongestionHeader::kMaxSize> cch;
  const std::size_t n = header.encode(cch.data());
  if (often(10)) cch[rng_.below(n)] ^= static_cast<std::uint8_t>(1U << rng_.below(8));
  roce::Path like;
  like.source_ip = like.dest_ip = pair.attacker.ip;
  like.vlan = pair.vlan;
  const auto headers = static_cast<std::uint16_t>(bth + roce::Bth::kSize);
  std::memmove(&frame_[headers + n], &frame_[headers], size_ - headers);
  roce::insert_congestion_header(roce::HeaderTemplate(like), {cch.data(), n}, roce::kCongestionUdpPort,
                                 frame_.data(), headers);
  size_ += n;
}

void Forge::mutate() {
  for (std::uint64_t times = 1 + rng_.below(3); times != 0; --times) mutate_once();
}

void Forge::mutate_once() {
  if (size_ == 0) return;
  // Mutate mostly headers, because they determine how a frame is processed.
  const std::size_t at = rng_.below(often(90) ? std::min<std::size_t>(size_, 90) : size_);
  switch (rng_.below(8)) {
    case 0:
    case 1:
      frame_[at] ^= static_cast<std::uint8_t>(1U << rng_.below(8));
      break;
    case 2:
    case 3:
      frame_[at] = static_cast<std::uint8_t>(rng_.next());
      break;
    case 4:
      if (at + 4 <= size_) store_be32(&frame_[at], odd_number());
      break;
    case 5:  // truncate the frame
      size_ = often(50) ? at : rng_.below(size_);
      break;
    case 6: {  // extend the frame
      const std::size_t more = rng_.below(often(90) ? 24 : 2000);
      std::memset(&frame_[size_], 0, std::min(more, kRoom - size_));
      size_ = std::min(size_ + more, kRoom);
      break;
    }
    default: {  // repeat a part of the frame
      const std::size_t n = rng_.below(std::min<std::size_t>(size_ - at, 32) + 1);
      const std::size_t to = rng_.below(size_ - n + 1);
      std::memmove(&frame_[to], &frame_[at], n);
    }
  }
}

/// Corrects lengths, checksum and iCRC, so that the mutated frame passes these checks.
void Forge::repair(const Pair& pair) {
  const std::size_t at = ip_offset(pair);
  const std::size_t header = ip_size(pair);
  if (size_ < at + header) return;
  std::uint8_t* const ip = frame_.data() + at;
  const std::size_t total = size_ - at;
  store_be16(ip + (pair.v6 ? 4 : 2), static_cast<std::uint16_t>(pair.v6 ? total - header : total));
  if (!pair.v6) {
    store_be16(ip + 10, 0);
    store_be16(ip + 10, roce::internet_checksum({ip, header}));
  }
  if (total < header + roce::kUdpHeaderSize + roce::kIcrcSize) return;
  store_be16(ip + header + 4, static_cast<std::uint16_t>(total - header));
  store_be16(ip + header + 6, 0);
  store_le32(&frame_[size_ - roce::kIcrcSize], roce::icrc_of(ByteSpan(ip, total - roce::kIcrcSize)));
}

/// Corrupts the iCRC of a packet that has the peer's address, a victim's QPN and a valid iCRC. The victim
/// could not distinguish such a packet from a packet that its peer sent. With a wrong iCRC, any effect on the
/// victim is a defect.
void Forge::keep_from_victims(const Pair& pair) {
  roce::ParsedFrame f = roce::parse_frame(ByteSpan(frame_.data(), size_));
  if (f.kind != roce::FrameKind::kUdp) return;
  const std::size_t end = ip_offset(pair) + f.datagram.size();
  roce::CchScratch scratch;
  roce::PlainHeaders headers;
  if (f.dest_port == roce::kCongestionUdpPort) {
    const auto cch = roce::decode_congestion_header(f, scratch);
    if (!cch || !roce::remove_congestion_header(f, cch->size(), headers)) return;
  }
  if (f.content.size() < roce::Bth::kSize + roce::kIcrcSize) return;
  std::array<std::uint8_t, roce::Bth::kSize> bth;
  f.content.copy(0, bth.size(), bth.data());
  const std::uint32_t qpn = load_be24(&bth[5]);
  if (qpn - kBoardQpn >= kVictims && qpn - kReceiverQpn >= kVictims) return;
  if (!roce::icrc_matches(f)) return;
  if (f.source_ip != pair.board_party.ip && f.source_ip != pair.receiver_party.ip) return;
  frame_[end - 1] ^= 0x80;
}

}  // namespace softfeb::fuzz
