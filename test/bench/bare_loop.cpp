// SPDX-License-Identifier: BSD-3-Clause
#include "bare_loop.hpp"

#include "endpoints.hpp"
#include "roce/frame.hpp"
#include "roce/headers.hpp"
#include "roce/icrc.hpp"
#include "roce/packet.hpp"

#include <cstring>
#include <stdexcept>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

namespace softfeb::bench {

namespace {

constexpr std::uint32_t kLrh = ~0xdebb20e3U;  // CRC of the eight 0xff bytes that replace the absent LRH

/// Returns packet number `index` of a message.
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

/// Builds the CRC tables of `place`. Because a CRC is linear, each varying byte contributes the difference
/// between the CRC with this byte and the CRC with zeros. If the payload's CRC is known, the tables include
/// it, so that the two CRCs need not be combined for each packet.
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

/// Builds one message with each method and checks the packets.
void BarePackets::check() {
  identification_ = 0xfff8;  // so that the test covers a carry in the checksum
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

namespace {

constexpr std::uint32_t kCopied = 256;  // same value as TxBuilderConfig::copy_below
constexpr auto kIcrc = static_cast<std::uint16_t>(roce::kIcrcSize);

void keep_payload(void* /*address*/, void* /*opaque*/) {}

/// Sets data_off, refcnt, nb_segs and port with one store.
void rearm(rte_mbuf* m, std::uint16_t data_off, std::uint16_t segments) {
  const std::array<std::uint16_t, 4> fields{data_off, 1, segments, RTE_MBUF_PORT_INVALID};
  std::memcpy(&m->rearm_data, fields.data(), sizeof fields);
}

}  // namespace

BareLoop::BareLoop(Kind kind, const CraftOptions& o, const board::PayloadSource& payload,
                   const dataplane::Port& port, std::uint16_t queue, const dataplane::Arena& arena,
                   dataplane::Mempools& pools)
    : kind_(kind),
      packets_(o, payload),
      arena_(arena),
      chains_(o.pmtu > kCopied),
      port_(port.id()),
      queue_(queue) {
  const std::uint32_t count = dataplane::pool_size(1024, port.config().lcores);
  heads_ = pools.create("bare loop: headers", count, 512);
  trailers_ = pools.create("bare loop: trailers", count, 64);
  externals_ = kind == Kind::kBest ? pools.create_references("bare loop: payload references", count, arena)
                                   : pools.create("bare loop: payload references", count, 0,
                                                  sizeof(rte_mbuf_ext_shared_info));
}

bool BareLoop::take() {
  if (kind_ == Kind::kPlain) {
    return rte_pktmbuf_alloc_bulk(heads_, head_.data(), kBurst) == 0 &&
           (!chains_ || (rte_pktmbuf_alloc_bulk(externals_, external_.data(), kBurst) == 0 &&
                         rte_pktmbuf_alloc_bulk(trailers_, trailer_.data(), kBurst) == 0));
  }
  const auto get = [](rte_mempool* pool, Mbufs& out) {
    return rte_mempool_get_bulk(pool, reinterpret_cast<void**>(out.data()), kBurst) == 0;
  };
  return get(heads_, head_) && (!chains_ || (get(externals_, external_) && get(trailers_, trailer_)));
}

void BareLoop::chain(rte_mbuf* head, rte_mbuf* payload, rte_mbuf* trailer) {
  const std::uint32_t length = packets_.payload_length();
  auto* const bytes = const_cast<std::uint8_t*>(packets_.payload());
  head->data_len = packets_.header_length();
  head->pkt_len = head->data_len + length + kIcrc;
  packets_.write(rte_pktmbuf_mtod(head, std::uint8_t*), rte_pktmbuf_mtod(trailer, std::uint8_t*));
  auto* const shared = static_cast<rte_mbuf_ext_shared_info*>(rte_mbuf_to_priv(payload));
  shared->free_cb = keep_payload;
  rte_mbuf_ext_refcnt_set(shared, 1);
  rte_pktmbuf_attach_extbuf(payload, bytes, arena_.iova(bytes), static_cast<std::uint16_t>(length), shared);
  payload->data_len = static_cast<std::uint16_t>(length);
  trailer->data_len = kIcrc;
  head->next = payload;
  payload->next = trailer;
  head->nb_segs = 3;
}

/// Chains the three mbufs of a packet. Fields that are not written here keep the values that they have in the
/// pool.
void BareLoop::chain_best(rte_mbuf* head, rte_mbuf* payload, rte_mbuf* trailer) {
  const std::uint32_t length = packets_.payload_length();
  auto* const bytes = const_cast<std::uint8_t*>(packets_.payload());
  rearm(head, RTE_PKTMBUF_HEADROOM, 3);
  head->ol_flags = 0;
  head->data_len = packets_.header_length();
  head->pkt_len = head->data_len + length + kIcrc;
  head->next = payload;
  rearm(payload, 0, 1);
  payload->buf_addr = bytes;
  rte_mbuf_iova_set(payload, arena_.iova(bytes));
  payload->buf_len = payload->data_len = static_cast<std::uint16_t>(length);
  payload->next = trailer;
  rearm(trailer, RTE_PKTMBUF_HEADROOM, 1);
  trailer->ol_flags = 0;
  trailer->data_len = kIcrc;
  packets_.write_by_tables(rte_pktmbuf_mtod(head, std::uint8_t*), rte_pktmbuf_mtod(trailer, std::uint8_t*));
}

void BareLoop::copy(rte_mbuf* head) {
  if (kind_ == Kind::kBest) {
    rearm(head, RTE_PKTMBUF_HEADROOM, 1);
    head->ol_flags = 0;
  }
  auto* const header = rte_pktmbuf_mtod(head, std::uint8_t*);
  std::uint8_t* const payload = header + packets_.header_length();
  head->pkt_len = packets_.header_length() + packets_.payload_length() + kIcrc;
  head->data_len = static_cast<std::uint16_t>(head->pkt_len);
  std::uint8_t* const trailer = payload + packets_.payload_length();
  if (kind_ == Kind::kBest) {
    packets_.write_by_tables(header, trailer);
  } else {
    packets_.write(header, trailer);
  }
  std::memcpy(payload, packets_.payload(), kCopied);  // payloads that are copied always have this length
}

unsigned BareLoop::turn() {
  if (!take()) return 0;
  for (unsigned i = 0; i < kBurst; ++i) {
    if (!chains_) {
      copy(head_[i]);
    } else if (kind_ == Kind::kBest) {
      chain_best(head_[i], external_[i], trailer_[i]);
    } else {
      chain(head_[i], external_[i], trailer_[i]);
    }
  }
  return rte_eth_tx_burst(port_, queue_, head_.data(), kBurst);
}

}  // namespace softfeb::bench
