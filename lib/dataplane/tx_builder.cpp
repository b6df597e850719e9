// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/tx_builder.hpp"

#include "dataplane/mbuf_lines.hpp"
#include "dataplane/path_mtu.hpp"

#include <algorithm>
#include <cstring>

#include <rte_mbuf.h>

namespace softfeb::dataplane {
namespace {

constexpr std::uint32_t kMinFrame = 60;  // minimum frame length, without FCS (IEEE 802.3)
constexpr std::uint32_t kTrailerRoom = 64;
/// Offset in bytes from an mbuf to its data, in pools without private area.
constexpr std::uint32_t kDataOffset = sizeof(rte_mbuf) + RTE_PKTMBUF_HEADROOM;

/// The adjacent fields data_off, refcnt, nb_segs and port of an mbuf (rearm_data), written with one store.
struct SegmentFields {
  std::uint16_t data_off;
  std::uint16_t refcnt = 1;
  std::uint16_t nb_segs;
  std::uint16_t port = RTE_MBUF_PORT_INVALID;

  void store(rte_mbuf* m) const { std::memcpy(&m->rearm_data, this, sizeof *this); }
};
static_assert(sizeof(SegmentFields) == 8 && offsetof(rte_mbuf, refcnt) == offsetof(rte_mbuf, data_off) + 2 &&
              offsetof(rte_mbuf, nb_segs) == offsetof(rte_mbuf, data_off) + 4 &&
              offsetof(rte_mbuf, port) == offsetof(rte_mbuf, data_off) + 6);

constexpr SegmentFields kOneSegment{.data_off = RTE_PKTMBUF_HEADROOM, .nb_segs = 1};
constexpr SegmentFields kHeadOfThree{.data_off = RTE_PKTMBUF_HEADROOM, .nb_segs = 3};
constexpr SegmentFields kReference{.data_off = 0, .nb_segs = 1};

std::uint8_t* end_of(rte_mbuf* m) { return rte_pktmbuf_mtod_offset(m, std::uint8_t*, m->data_len); }

void append(rte_mbuf* m, const std::uint8_t* bytes, std::uint32_t length) {
  if (length == 0) return;
  std::memcpy(end_of(m), bytes, length);
  m->data_len = static_cast<std::uint16_t>(m->data_len + length);
}

/// Resets the fields that the previous user of the header mbuf may have left set.
void begin_packet(rte_mbuf* head, const SegmentFields& fields) {
  fields.store(head);
  head->ol_flags = 0;
  head->packet_type = 0;
  head->vlan_tci = 0;
  head->tx_offload = 0;
}

std::uint32_t room_for(const TxBuilderConfig& c) {
  const std::uint32_t short_frame = engine::TxFrame::kHeaderRoom + c.copy_below +
                                    static_cast<std::uint32_t>(engine::TxFrame{}.trailer.size());
  const std::uint32_t room = std::max(short_frame, c.multi_segments ? 0 : c.frame_bytes + kVlanTag);
  return (room + 63) / 64 * 64;
}

}  // namespace

TxBuilder::TxBuilder(const TxBuilderConfig& config, const Arena* arena, Mempools& pools)
    : config_(config),
      arena_(arena),
      head_room_(room_for(config)),
      heads_(pools.create(config.multi_segments ? "packet headers" : "packets",
                          pool_size(config.descriptors + config.held, config.lcores), head_room_, 0,
                          config.socket)),
      externals_(!config.multi_segments || arena == nullptr
                     ? nullptr
                     : pools.create_references("payload references",
                                               pool_size(config.descriptors + config.held, config.lcores),
                                               *arena, config.socket)),
      trailers_(externals_ == nullptr
                    ? nullptr
                    : pools.create("packet trailers",
                                   pool_size(config.descriptors + config.held, config.lcores), kTrailerRoom,
                                   0, config.socket)),
      payload_stock_(externals_, {}),
      trailer_stock_(trailers_, {1, kDataOffset}) {}

unsigned TxBuilder::acquire(std::span<TxFrame> frames, std::span<rte_mbuf*> mbufs) {
  auto n = static_cast<unsigned>(std::min(frames.size(), mbufs.size()));
  while (n != 0 && rte_mempool_get_bulk(heads_, reinterpret_cast<void**>(mbufs.data()), n) != 0) {
    ++counters_.no_mbuf;
    n /= 2;
  }
  for (unsigned i = 0; i < n; ++i) {
    claim_mbuf(mbufs[i], kDataOffset);
    frames[i] = TxFrame{};
    frames[i].header = reinterpret_cast<std::uint8_t*>(mbufs[i]) + kDataOffset;
  }
  // Most frames have a payload. Prefetch the mbufs for the payloads, so that they are in the cache when the
  // frames have been crafted.
  stock_up(n);
  return n;
}

bool TxBuilder::stock_up(unsigned frames) {
  const unsigned n = std::min(frames, MbufStock::kRoom);
  payload_stock_.fill(n);
  trailer_stock_.fill(n);
  return payload_stock_.size() != 0 && trailer_stock_.size() != 0;
}

unsigned TxBuilder::build(std::span<const TxFrame> frames, std::span<rte_mbuf*> mbufs) {
  const auto n = static_cast<unsigned>(std::min(frames.size(), mbufs.size()));
  std::uint64_t bytes = 0;
  std::uint64_t attached = 0;
  unsigned i = 0;
  for (; i < n; ++i) {
    const TxFrame& frame = frames[i];
    if (!attaches(frame)) {
      if (!copy(frame, mbufs[i])) break;
      bytes += frame.length();
      continue;
    }
    if ((payload_stock_.size() == 0 || trailer_stock_.size() == 0) && !stock_up(n - i)) break;
    bytes += attach(frame, mbufs[i], payload_stock_.take(), trailer_stock_.take());
    ++attached;
  }
  if (i != n) ++counters_.no_mbuf;
  counters_.bytes += bytes;
  counters_.external += attached;
  return i;
}

/// Builds the three-segment chain; returns its length. The fields not written here keep the values that the
/// pools guarantee (doc/dataplane.md).
inline std::uint32_t TxBuilder::attach(const TxFrame& frame, rte_mbuf* head, rte_mbuf* payload,
                                       rte_mbuf* trailer) const {
  const std::uint32_t length = frame.length();
  begin_packet(head, kHeadOfThree);
  head->data_len = frame.header_length;
  head->pkt_len = length;
  head->next = payload;

  kReference.store(payload);
  payload->buf_addr = const_cast<std::uint8_t*>(frame.payload);
  rte_mbuf_iova_set(payload, arena_->iova(frame.payload));
  payload->buf_len = payload->data_len = static_cast<std::uint16_t>(frame.payload_length);
  payload->next = trailer;

  kOneSegment.store(trailer);
  trailer->ol_flags = 0;
  trailer->data_len = frame.trailer_length;
  std::memcpy(reinterpret_cast<std::uint8_t*>(trailer) + kDataOffset, frame.trailer.data(),
              frame.trailer.size());
  return length;
}

bool TxBuilder::copy(const TxFrame& frame, rte_mbuf* head) {
  begin_packet(head, kOneSegment);
  head->data_len = frame.header_length;
  if (frame.length() <= head_room_ || !config_.multi_segments) {
    copy_whole(frame, head);
    return true;
  }
  if (!copy_chain(frame, head)) return false;
  ++counters_.copied;
  return true;
}

void TxBuilder::copy_whole(const TxFrame& frame, rte_mbuf* head) {
  const std::uint32_t room = head_room_ - frame.header_length;
  const std::uint32_t payload = std::min(frame.payload_length, room);
  append(head, frame.payload, payload);
  append(head, frame.trailer.data(), std::min<std::uint32_t>(frame.trailer_length, room - payload));
  if (head->data_len < frame.length()) ++counters_.too_long;
  if (head->data_len < kMinFrame) {
    std::memset(end_of(head), 0, kMinFrame - head->data_len);
    head->data_len = kMinFrame;
  }
  head->pkt_len = head->data_len;
  if (frame.payload_length != 0) ++counters_.copied;
}

/// Copies a payload that cannot be attached and does not fit the header mbuf, such as the payload of an echo
/// reply. Returns false when the pool is empty.
bool TxBuilder::copy_chain(const TxFrame& frame, rte_mbuf* head) {
  rte_mbuf* last = head;
  std::uint16_t segments = 1;
  const auto add = [&](const std::uint8_t* bytes, std::uint32_t length) {
    while (length != 0) {
      const std::uint32_t room = head_room_ - last->data_len;
      if (room == 0) {
        last->next = rte_pktmbuf_alloc(heads_);
        if (last->next == nullptr) return false;
        last = last->next;
        ++segments;
        continue;
      }
      const std::uint32_t part = std::min(room, length);
      append(last, bytes, part);
      bytes += part;
      length -= part;
    }
    return true;
  };
  if (!add(frame.payload, frame.payload_length) || !add(frame.trailer.data(), frame.trailer_length)) {
    if (head->next != nullptr) rte_pktmbuf_free(head->next);
    head->next = nullptr;
    return false;
  }
  head->nb_segs = segments;
  head->pkt_len = frame.length();
  return true;
}

void TxBuilder::release(std::span<rte_mbuf*> mbufs) {
  if (!mbufs.empty()) rte_pktmbuf_free_bulk(mbufs.data(), static_cast<unsigned>(mbufs.size()));
}

}  // namespace softfeb::dataplane
