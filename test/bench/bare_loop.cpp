// SPDX-License-Identifier: BSD-3-Clause
#include "bare_loop.hpp"

#include "addresses.hpp"
#include "roce/frame.hpp"
#include "roce/icrc.hpp"
#include "roce/packet.hpp"

#include <cstring>
#include <stdexcept>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

namespace softfeb::bench {

namespace {

constexpr std::size_t kIpOffset = 14;
constexpr std::size_t kIdentification = 4;  // in the IPv4 header
constexpr std::size_t kPsnField = 20 + 8 + 8;
constexpr std::uint32_t kLrh = ~0xdebb20e3U;  // CRC of eight bytes of ones, the absent LRH
constexpr std::uint32_t kCopied = 256;        // TxBuilderConfig::copy_below

void keep(void* /*address*/, void* /*opaque*/) {}

/// The packet `index` of a message of `count`.
roce::RequestPacket packet_at(const CraftOptions& o, std::uint32_t index, std::uint32_t count) {
  using roce::Operation;
  const bool first = index == 0, last = index + 1 == count;
  roce::RequestPacket p;
  p.opcode = roce::opcode(o.transport, first && last ? Operation::kWriteOnly
                                       : first       ? Operation::kWriteFirst
                                       : last        ? Operation::kWriteLast
                                                     : Operation::kWriteMiddle);
  p.ack_req = last && o.transport == roce::Transport::kRc;
  p.reth.dma_length = o.pmtu * count;
  p.payload_length = o.pmtu;
  return p;
}

}  // namespace

BareLoop::BareLoop(const CraftOptions& o, const board::PayloadSource& payload, const dataplane::Port& port,
                   std::uint16_t queue, const dataplane::Arena& arena, dataplane::Mempools& pools)
    : places_(o.packets),
      arena_(arena),
      payload_(payload.bytes(0, o.pmtu)),
      length_(o.pmtu),
      shift_(roce::crc32_shift_factor(o.pmtu)),
      known_crc_(o.known_crc),
      chains_(o.pmtu > kCopied),
      port_(port.id()),
      queue_(queue) {
  payload_crc_ = roce::crc32(0, ByteSpan(payload_, length_));
  const std::uint32_t count = dataplane::pool_size(1024, port.config().lcores);
  heads_ = pools.create("bare loop: headers", count, 512);
  externals_ = pools.create("bare loop: payload references", count, 0, sizeof(rte_mbuf_ext_shared_info));
  trailers_ = pools.create("bare loop: trailers", count, 64);
  for (std::uint32_t i = 0; i < o.packets; ++i) make_place(o, i);
  check();
}

void BareLoop::check() {
  for (const Place& place : places_) {
    std::array<std::uint8_t, kRoom> header;
    std::array<std::uint8_t, roce::kIcrcSize> trailer;
    write(header.data(), trailer.data());
    Segments frame(ByteSpan(header).first(place.header_length));
    frame.push(ByteSpan(payload_, length_));
    frame.push(trailer);
    const roce::ParsedFrame parsed = roce::parse_frame(frame);
    if (parsed.kind != roce::FrameKind::kUdp || !roce::icrc_matches(parsed))
      throw std::logic_error("the bare loop's packets are wrong");
  }
}

void BareLoop::make_place(const CraftOptions& o, std::uint32_t index) {
  const roce::HeaderTemplate path(path_to_peer());
  const roce::RequestPacket p = packet_at(o, index, o.packets);
  Place& place = places_[index];
  std::uint8_t* const header = place.header.data();
  const std::size_t transport = roce::encode_request(p, kFirstQpn, roce::kDefaultPkey, header + path.size());
  path.write(header, static_cast<std::uint32_t>(transport + o.pmtu + roce::kIcrcSize), 0);
  place.header_length = static_cast<std::uint16_t>(path.size() + transport);
  place.psn_flags = p.ack_req ? 1U << 31 : 0;
  std::uint8_t* const ip = header + kIpOffset;
  place.checksum = 0xffffU & ~std::uint32_t{load_be16(ip + 10)};
  std::uint8_t* const masked = place.masked.data();
  std::memcpy(masked, ip, place.header_length - kIpOffset);
  for (const std::size_t at : {1U, 8U, 10U, 11U, 26U, 27U, 32U}) masked[at] = 0xff;
  place.seed = roce::crc32(kLrh, ByteSpan(masked, kIdentification));
}

std::uint32_t BareLoop::icrc(Place& place) {
  store_be16(&place.masked[kIdentification], identification_);
  store_be32(&place.masked[kPsnField], place.psn_flags | (psn_ & roce::kPsnMask));
  const std::size_t end = place.header_length - kIpOffset;
  const std::uint32_t crc =
      roce::crc32(place.seed, ByteSpan(&place.masked[kIdentification], end - kIdentification));
  if (known_crc_) return roce::crc32_combine_prepared(crc, payload_crc_, shift_);
  return roce::crc32(crc, ByteSpan(payload_, length_));
}

/// Everything but the payload, of the next packet.
void BareLoop::write(std::uint8_t* header, std::uint8_t* trailer) {
  Place& place = places_[place_];
  std::memcpy(header, place.header.data(), kRoom);
  std::uint8_t* const ip = header + kIpOffset;
  store_be16(ip + kIdentification, identification_);
  const std::uint32_t sum = place.checksum + identification_;
  store_be16(ip + 10, static_cast<std::uint16_t>(~((sum & 0xffff) + (sum >> 16))));
  store_be32(ip + kPsnField, place.psn_flags | (psn_ & roce::kPsnMask));
  store_le32(trailer, icrc(place));
  ++psn_;
  ++identification_;
  if (++place_ == places_.size()) place_ = 0;
}

bool BareLoop::make_chains() {
  if (rte_pktmbuf_alloc_bulk(externals_, external_.data(), kBurst) != 0) return false;
  if (rte_pktmbuf_alloc_bulk(trailers_, trailer_.data(), kBurst) != 0) return false;
  for (unsigned i = 0; i < kBurst; ++i) {
    rte_mbuf* const head = head_[i];
    rte_mbuf* const payload = external_[i];
    rte_mbuf* const trailer = trailer_[i];
    head->data_len = places_[place_].header_length;
    write(rte_pktmbuf_mtod(head, std::uint8_t*), rte_pktmbuf_mtod(trailer, std::uint8_t*));
    auto* const shared = static_cast<rte_mbuf_ext_shared_info*>(rte_mbuf_to_priv(payload));
    shared->free_cb = keep;
    rte_mbuf_ext_refcnt_set(shared, 1);
    rte_pktmbuf_attach_extbuf(payload, const_cast<std::uint8_t*>(payload_), arena_.iova(payload_),
                              static_cast<std::uint16_t>(length_), shared);
    payload->data_len = static_cast<std::uint16_t>(length_);
    trailer->data_len = roce::kIcrcSize;
    head->next = payload;
    payload->next = trailer;
    head->nb_segs = 3;
    head->pkt_len = head->data_len + length_ + static_cast<std::uint32_t>(roce::kIcrcSize);
  }
  return true;
}

bool BareLoop::make_copies() {
  for (unsigned i = 0; i < kBurst; ++i) {
    rte_mbuf* const head = head_[i];
    auto* const header = rte_pktmbuf_mtod(head, std::uint8_t*);
    std::uint8_t* const payload = header + places_[place_].header_length;
    head->pkt_len = places_[place_].header_length + length_ + static_cast<std::uint32_t>(roce::kIcrcSize);
    head->data_len = static_cast<std::uint16_t>(head->pkt_len);
    write(header, payload + length_);
    std::memcpy(payload, payload_, kCopied);
  }
  return true;
}

unsigned BareLoop::turn() {
  if (rte_pktmbuf_alloc_bulk(heads_, head_.data(), kBurst) != 0) return 0;
  if (!(chains_ ? make_chains() : make_copies())) return 0;
  return rte_eth_tx_burst(port_, queue_, head_.data(), kBurst);
}

}  // namespace softfeb::bench
