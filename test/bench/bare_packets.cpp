// SPDX-License-Identifier: BSD-3-Clause
#include "bare_packets.hpp"

#include "addresses.hpp"
#include "roce/frame.hpp"
#include "roce/icrc.hpp"
#include "roce/packet.hpp"

#include <cstring>
#include <stdexcept>

namespace softfeb::bench {

namespace {

constexpr std::uint32_t kLrh = ~0xdebb20e3U;  // CRC of eight bytes of ones, the absent LRH

/// The packet `index` of a message.
roce::RequestPacket packet_at(const CraftOptions& o, std::uint32_t index) {
  using roce::Operation;
  const bool first = index == 0, last = index + 1 == o.packets;
  roce::RequestPacket p;
  p.opcode = roce::opcode(o.transport, first && last ? Operation::kWriteOnly
                                       : first       ? Operation::kWriteFirst
                                       : last        ? Operation::kWriteLast
                                                     : Operation::kWriteMiddle);
  p.ack_req = last && o.transport == roce::Transport::kRc;
  p.reth.rkey = kRkey;
  p.reth.dma_length = o.pmtu * o.packets;
  p.payload_length = o.pmtu;
  return p;
}

}  // namespace

BarePackets::BarePackets(const CraftOptions& o, const board::PayloadSource& payload)
    : places_(o.packets),
      payload_(payload.bytes(0, o.pmtu)),
      length_(o.pmtu),
      payload_crc_(roce::crc32(0, ByteSpan(payload_, length_))),
      shift_(roce::crc32_shift_factor(o.pmtu)),
      known_crc_(o.known_crc) {
  for (std::uint32_t i = 0; i < o.packets; ++i) make_place(o, i);
  check();
}

void BarePackets::make_place(const CraftOptions& o, std::uint32_t index) {
  const roce::HeaderTemplate path(path_to_peer());
  const roce::RequestPacket p = packet_at(o, index);
  Place& place = places_[index];
  std::uint8_t* const header = place.header.data();
  const std::size_t transport = roce::encode_request(p, kFirstQpn, roce::kDefaultPkey, header + path.size());
  path.write(header, static_cast<std::uint32_t>(transport + o.pmtu + roce::kIcrcSize), 0);
  place.header_length = static_cast<std::uint16_t>(path.size() + transport);
  place.psn_flags = p.ack_req ? 1U << 31 : 0;
  std::uint8_t* const ip = header + kIp;
  place.checksum = 0xffffU & ~std::uint32_t{load_be16(ip + 10)};
  std::uint8_t* const masked = place.masked.data();
  std::memcpy(masked, ip, place.header_length - kIp);
  for (const std::size_t at : {1U, 8U, 10U, 11U, 26U, 27U, 32U}) masked[at] = 0xff;
  place.seed = roce::crc32(kLrh, ByteSpan(masked, kIdentification));
  make_tables(place);
}

/// The CRC is linear in each byte: a byte contributes the difference to the CRC with zeros. Continues past a
/// known payload, so that nothing remains to be combined.
void BarePackets::make_tables(Place& place) {
  const auto of = [&](std::uint32_t psn, std::uint16_t identification) {
    const std::uint32_t crc = header_crc(place, psn, identification);
    return known_crc_ ? finish(crc) : crc;
  };
  place.base = of(0, 0);
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    for (unsigned k = 0; k < 3; ++k) place.psn[k][byte] = of(byte << 8 * k, 0) ^ place.base;
    for (unsigned k = 0; k < 2; ++k)
      place.identification[k][byte] = of(0, static_cast<std::uint16_t>(byte << 8 * k)) ^ place.base;
  }
}

std::uint32_t BarePackets::header_crc(Place& place, std::uint32_t psn, std::uint16_t identification) const {
  store_be16(&place.masked[kIdentification], identification);
  store_be32(&place.masked[kPsnField], place.psn_flags | (psn & roce::kPsnMask));
  return roce::crc32(place.seed,
                     ByteSpan(&place.masked[kIdentification], place.header_length - kIp - kIdentification));
}

std::uint32_t BarePackets::finish(std::uint32_t crc) const {
  return known_crc_ ? roce::crc32_combine_prepared(crc, payload_crc_, shift_)
                    : roce::crc32(crc, ByteSpan(payload_, length_));
}

std::uint32_t BarePackets::icrc(Place& place) const {
  return finish(header_crc(place, psn_, identification_));
}

/// One message by each method.
void BarePackets::check() {
  identification_ = 0xfff8;  // so that the checksum has a carry, too
  psn_ = 0x7ffff8;
  for (std::size_t i = 0; i < 2 * places_.size(); ++i) {
    std::array<std::uint8_t, kRoom> header;
    std::array<std::uint8_t, roce::kIcrcSize> trailer;
    const std::uint16_t length = header_length();
    if (i < places_.size()) {
      write(header.data(), trailer.data());
    } else {
      write_by_tables(header.data(), trailer.data());
    }
    Segments frame(ByteSpan(header).first(length));
    frame.push(ByteSpan(payload_, length_));
    frame.push(trailer);
    const roce::ParsedFrame parsed = roce::parse_frame(frame);
    if (parsed.kind != roce::FrameKind::kUdp || !roce::icrc_matches(parsed))
      throw std::logic_error("the bare loop's packets are wrong");
  }
}

}  // namespace softfeb::bench
