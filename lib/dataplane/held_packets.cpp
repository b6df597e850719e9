// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/held_packets.hpp"

#include <algorithm>

#include <rte_mbuf.h>

namespace softfeb::dataplane {

HeldPackets::HeldPackets(std::size_t limit, std::size_t replays) : limit_(limit), kept_(replays) {
  held_.reserve(limit);
}

HeldPackets::~HeldPackets() {
  for (const Held& h : held_) rte_pktmbuf_free(h.packet);
  for (rte_mbuf* const m : kept_) rte_pktmbuf_free(m);
}

void HeldPackets::hold(rte_mbuf* packet, std::uint32_t qp, std::uint32_t behind, Time due) {
  held_.push_back({packet, qp, behind, due});
  next_due_ = std::min(next_due_, due);
}

void HeldPackets::overtaken(std::uint32_t qp) {
  for (Held& h : held_) {
    if (h.qp != qp || h.behind == 0 || --h.behind != 0) continue;
    h.due = 0;
    next_due_ = 0;
  }
}

rte_mbuf* HeldPackets::take_due(Time now) {
  if (next_due_ > now) return nullptr;
  const auto due = std::min_element(held_.begin(), held_.end(),
                                    [](const Held& a, const Held& b) { return a.due < b.due; });
  rte_mbuf* const packet = due->packet;
  held_.erase(due);
  find_next_due();
  return packet;
}

void HeldPackets::find_next_due() {
  next_due_ = kNever;
  for (const Held& h : held_) next_due_ = std::min(next_due_, h.due);
}

void HeldPackets::keep(std::size_t index, rte_mbuf* packet) {
  kept_[index] = packet;
  ++kept_count_;
}

}  // namespace softfeb::dataplane
