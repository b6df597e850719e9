// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/claim.hpp"

#include <cstdint>
#include <span>

#include <rte_mbuf.h>
#include <rte_prefetch.h>

/// Prefetching of mbuf cache lines. Fetching a line from another core or from memory takes as long as
/// crafting a packet.
namespace softfeb::dataplane {

/// Prefetches both lines of an mbuf for writing, because the mbuf will be written or freed. If `data_offset`
/// is not 0, also prefetches the two lines that begin `data_offset` bytes after the mbuf.
inline void claim_mbuf(const rte_mbuf* m, std::uint32_t data_offset = 0) {
  claim_lines(m, 2);
  if (data_offset != 0) claim_lines(reinterpret_cast<const std::uint8_t*>(m) + data_offset, 2);
}

/// Prefetches both lines of an mbuf that will be read.
inline void want_mbuf(const rte_mbuf* m) {
  const auto* const p = reinterpret_cast<const std::uint8_t*>(m);
  rte_prefetch0(p);
  rte_prefetch0(p + RTE_CACHE_LINE_MIN_SIZE);
}

/// Prefetches the first two lines of a segment's data.
inline void want_data(const rte_mbuf* m) {
  const auto* const p = rte_pktmbuf_mtod(m, const std::uint8_t*);
  rte_prefetch0(p);
  rte_prefetch0(p + RTE_CACHE_LINE_MIN_SIZE);
}

/// Prefetches a received burst. Call step(i) with i = 0, 1, 2, … before packet i is examined. It prefetches
/// cache lines of the packets after packet i. This is done in stages, because each stage reads the lines
/// that the previous stage prefetched. The second and third segments of a chain are prefetched too, because
/// they contain the payload and the trailer of packets that our boards send over a ring.
class ReceiveAhead {
 public:
  explicit ReceiveAhead(std::span<rte_mbuf* const> burst) : burst_(burst) {
    for (std::size_t i = 0; i < 3 * kStep && i < burst_.size(); ++i) claim_mbuf(burst_[i]);
    for (std::size_t i = 0; i < 2 * kStep && i < burst_.size(); ++i) head(i);
    for (std::size_t i = 0; i < kStep && i < burst_.size(); ++i) second(i);
    if (!burst_.empty()) third(0);
  }
  void step(std::size_t i) const {
    if (i + 3 * kStep < burst_.size()) claim_mbuf(burst_[i + 3 * kStep]);
    if (i + 2 * kStep < burst_.size()) head(i + 2 * kStep);
    if (i + kStep < burst_.size()) second(i + kStep);
    if (i + 1 < burst_.size()) third(i + 1);
  }

 private:
  static constexpr std::size_t kStep = 2;

  void head(std::size_t i) const {
    const rte_mbuf* const m = burst_[i];
    want_data(m);
    if (m->next != nullptr) claim_mbuf(m->next);
  }
  void second(std::size_t i) const {
    const rte_mbuf* const m = burst_[i]->next;
    if (m == nullptr) return;
    want_data(m);
    rte_prefetch0(m + 1);  // the reference count of an mbuf with external payload
    if (m->next != nullptr) want_mbuf(m->next);
  }
  void third(std::size_t i) const {
    const rte_mbuf* const m = burst_[i]->next;
    if (m != nullptr && m->next != nullptr) rte_prefetch0(rte_pktmbuf_mtod(m->next, const void*));
  }

  std::span<rte_mbuf* const> burst_;
};

}  // namespace softfeb::dataplane
