// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/fault_injector.hpp"

#include "faults/edit.hpp"
#include "roce/headers.hpp"

#include <algorithm>

#include <rte_mbuf.h>

namespace softfeb::dataplane {
namespace {

constexpr std::uint32_t kReserved8a = 4;  ///< BTH byte that the iCRC does not cover (FECN, BECN, reserved)

std::uint8_t* data(rte_mbuf* m) { return rte_pktmbuf_mtod(m, std::uint8_t*); }

}  // namespace

FaultInjector::FaultInjector(const faults::FaultPlan& plan, std::uint32_t frame_bytes, std::uint32_t held,
                             unsigned lcores, Mempools& pools, std::uint16_t cc_port)
    : plan_(plan), cc_port_(cc_port) {
  if (plan_.active()) copies_ = pools.create("copies for faults", pool_size(held, lcores), frame_bytes);
}

FaultInjector::~FaultInjector() { rte_pktmbuf_free(held_); }

rte_mbuf* FaultInjector::replace_by_copy(rte_mbuf* packet) {
  rte_mbuf* copy = rte_pktmbuf_copy(packet, copies_, 0, UINT32_MAX);
  if (copy == nullptr) {
    ++no_copy_;
    return nullptr;
  }
  rte_pktmbuf_free(packet);
  return copy;
}

rte_mbuf* FaultInjector::corrupt(rte_mbuf* packet, const faults::RoceLocation& at, std::uint64_t where) {
  rte_mbuf* copy = replace_by_copy(packet);
  if (copy == nullptr) return packet;
  // Flip a bit of the iCRC or of the bytes it covers, or of the congestion control header, which has its own
  // checksum, so that a correct receiver must drop the packet. The copy may be a chain.
  std::uint32_t offset = at.content + static_cast<std::uint32_t>((where >> 3) % (copy->pkt_len - at.content));
  if (offset == at.bth + kReserved8a) ++offset;
  rte_mbuf* m = copy;
  for (; offset >= m->data_len; m = m->next) offset -= m->data_len;
  data(m)[offset] = static_cast<std::uint8_t>(data(m)[offset] ^ (1U << (where & 7)));
  ++counters_.corrupted;
  return copy;
}

rte_mbuf* FaultInjector::mark_ce(rte_mbuf* packet, const faults::RoceLocation& at) {
  if (!RTE_MBUF_DIRECT(packet) || rte_mbuf_refcnt_read(packet) != 1) {
    rte_mbuf* copy = replace_by_copy(packet);
    if (copy == nullptr) return packet;
    packet = copy;
  }
  if (faults::set_congestion_experienced(data(packet) + at.ip, at.ipv6)) ++counters_.marked_ce;
  return packet;
}

std::size_t FaultInjector::apply(std::span<rte_mbuf* const> in, std::span<rte_mbuf*> out) {
  std::size_t n = 0;
  const auto put_held = [&] {
    if (held_ != nullptr) out[n++] = held_;
    held_ = nullptr;
  };
  for (rte_mbuf* packet : in) {
    const auto at = faults::locate_roce({data(packet), packet->data_len}, cc_port_);
    const faults::FaultVerdict verdict = at ? plan_.judge() : faults::FaultVerdict{};
    if (verdict.drop) {
      rte_pktmbuf_free(packet);
      ++counters_.dropped;
      continue;
    }
    if (verdict.mark_ce) packet = mark_ce(packet, *at);
    if (verdict.corrupt) packet = corrupt(packet, *at, verdict.where);
    rte_mbuf* twin = verdict.duplicate ? rte_pktmbuf_copy(packet, copies_, 0, UINT32_MAX) : nullptr;
    if (verdict.reorder && held_ == nullptr) {
      held_ = packet;
      ++counters_.reordered;
      if (twin == nullptr) continue;
    } else {
      out[n++] = packet;
    }
    if (twin != nullptr) {
      out[n++] = twin;
      ++counters_.duplicated;
    } else if (verdict.duplicate) {
      ++no_copy_;
    }
    if (held_ != packet) put_held();
  }
  if (in.empty()) put_held();
  return n;
}

}  // namespace softfeb::dataplane
