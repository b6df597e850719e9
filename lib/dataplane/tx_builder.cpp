// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/tx_builder.hpp"

#include "dataplane/path_mtu.hpp"

#include <algorithm>
#include <cstring>

#include <rte_mbuf.h>

namespace softfeb::dataplane {
namespace {

constexpr std::uint32_t kMinFrame = 60;  // without FCS (IEEE 802.3)
constexpr std::uint32_t kTrailerRoom = 64;

/// The arena outlives its packets: nothing to free.
void keep_arena(void* /*address*/, void* /*opaque*/) {}

std::uint8_t* end_of(rte_mbuf* m) { return rte_pktmbuf_mtod_offset(m, std::uint8_t*, m->data_len); }

void append(rte_mbuf* m, const std::uint8_t* bytes, std::uint32_t length) {
  if (length == 0) return;
  std::memcpy(end_of(m), bytes, length);
  m->data_len = static_cast<std::uint16_t>(m->data_len + length);
}

}  // namespace

TxBuilder::TxBuilder(const TxBuilderConfig& config, const Arena* arena, Mempools& pools)
    : config_(config), arena_(arena) {
  const std::uint32_t short_frame =
      TxFrame::kHeaderRoom + config_.copy_below + static_cast<std::uint32_t>(TxFrame{}.trailer.size());
  head_room_ = std::max(short_frame, config_.multi_segments ? 0 : config_.frame_bytes + kVlanTag);
  head_room_ = (head_room_ + 63) / 64 * 64;
  const std::uint32_t count = pool_size(config_.descriptors + config_.held, config_.lcores);
  heads_ = pools.create(config_.multi_segments ? "packet headers" : "packets", count, head_room_, 0,
                        config_.socket);
  if (!config_.multi_segments || arena_ == nullptr) return;
  externals_ = pools.create("payload references", count, 0, sizeof(rte_mbuf_ext_shared_info), config_.socket);
  trailers_ = pools.create("packet trailers", count, kTrailerRoom, 0, config_.socket);
}

unsigned TxBuilder::acquire(std::span<TxFrame> frames, std::span<rte_mbuf*> mbufs) {
  auto n = static_cast<unsigned>(std::min(frames.size(), mbufs.size()));
  while (n != 0 && rte_pktmbuf_alloc_bulk(heads_, mbufs.data(), n) != 0) {
    ++counters_.no_mbuf;
    n /= 2;
  }
  for (unsigned i = 0; i < n; ++i) {
    frames[i] = TxFrame{};
    frames[i].header = rte_pktmbuf_mtod(mbufs[i], std::uint8_t*);
  }
  return n;
}

unsigned TxBuilder::build(std::span<const TxFrame> frames, std::span<rte_mbuf*> mbufs) {
  const auto n = static_cast<unsigned>(std::min(frames.size(), mbufs.size()));
  for (unsigned i = 0; i < n; ++i) {
    if (!build_one(frames[i], mbufs[i])) {
      ++counters_.no_mbuf;
      return i;
    }
  }
  return n;
}

bool TxBuilder::build_one(const TxFrame& frame, rte_mbuf* head) {
  const bool whole = frame.length() <= head_room_;
  const bool external = externals_ != nullptr && frame.payload_length > config_.copy_below &&
                        arena_->contains(frame.payload, frame.payload_length);
  head->data_len = frame.header_length;
  if (external) {
    if (!attach(frame, head)) return false;
    ++counters_.external;
  } else if (whole || !config_.multi_segments) {
    copy_whole(frame, head);
  } else {
    if (!copy_chain(frame, head)) return false;
    ++counters_.copied;
  }
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

bool TxBuilder::attach(const TxFrame& frame, rte_mbuf* head) {
  rte_mbuf* payload = rte_pktmbuf_alloc(externals_);
  if (payload == nullptr) return false;
  rte_mbuf* trailer = rte_pktmbuf_alloc(trailers_);
  if (trailer == nullptr) {
    rte_pktmbuf_free_seg(payload);
    return false;
  }
  // The reference count lives in the mbuf's own private area: a count shared by all packets would be a cache
  // line that every worker fights for.
  auto* shared = static_cast<rte_mbuf_ext_shared_info*>(rte_mbuf_to_priv(payload));
  shared->free_cb = keep_arena;
  shared->fcb_opaque = nullptr;
  rte_mbuf_ext_refcnt_set(shared, 1);
  const auto length = static_cast<std::uint16_t>(frame.payload_length);
  rte_pktmbuf_attach_extbuf(payload, const_cast<std::uint8_t*>(frame.payload), arena_->iova(frame.payload),
                            length, shared);
  payload->data_len = length;
  payload->next = trailer;
  append(trailer, frame.trailer.data(), frame.trailer_length);
  head->next = payload;
  head->nb_segs = 3;
  head->pkt_len = frame.length();
  return true;
}

/// A payload that is not in the arena and does not fit the header's buffer (an echo reply, for one).
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
