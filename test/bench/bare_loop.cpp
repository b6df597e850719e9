// SPDX-License-Identifier: BSD-3-Clause
#include "bare_loop.hpp"

#include "roce/headers.hpp"

#include <cstring>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

namespace softfeb::bench {

namespace {

constexpr std::uint32_t kCopied = 256;  // TxBuilderConfig::copy_below
constexpr auto kIcrc = static_cast<std::uint16_t>(roce::kIcrcSize);

void keep_payload(void* /*address*/, void* /*opaque*/) {}

/// Stores data_off, refcnt, nb_segs and port at once.
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

/// Fields that are not written keep the pool's values.
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
  std::memcpy(payload, packets_.payload(), kCopied);  // the only length that is copied
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
