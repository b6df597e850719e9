// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/fault_injector.hpp"

#include "faults/edit.hpp"
#include "roce/headers.hpp"

#include <utility>

#include <rte_mbuf.h>

namespace softfeb::dataplane {
namespace {

constexpr std::uint32_t kReserved8a = 4;  ///< BTH byte that the iCRC does not cover (FECN, BECN, reserved)

std::uint8_t* data(rte_mbuf* m) { return rte_pktmbuf_mtod(m, std::uint8_t*); }

}  // namespace

FaultInjector::FaultInjector(const faults::FaultPlan& plan, std::uint32_t frame_bytes, std::uint32_t held,
                             unsigned lcores, Mempools& pools, std::uint16_t cc_port,
                             faults::FaultRules rules, const HoldLimits& limits)
    : plan_(plan),
      rules_(std::move(rules)),
      limits_(limits),
      cc_port_(cc_port),
      store_(rules_.active() ? limits.packets : 0, rules_.states()) {
  if (!active()) return;
  const std::uint32_t copies = held + (rules_.active() ? limits.packets : 0);
  copies_ = pools.create("copies for faults", pool_size(copies, lcores), frame_bytes);
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
  // The flipped bit belongs to the iCRC, to the bytes that it covers, or to the congestion control header,
  // which has its own checksum. A correct receiver must therefore drop the packet. The copy may be a chain.
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

void FaultInjector::put_held(Output& out) {
  if (held_ != nullptr) out.put(held_);
  held_ = nullptr;
}

void FaultInjector::pass_random(rte_mbuf* packet, const faults::RoceLocation& at,
                                const faults::FaultVerdict& verdict, Output& out) {
  if (verdict.drop) {
    rte_pktmbuf_free(packet);
    ++counters_.dropped;
    return;
  }
  if (verdict.mark_ce) packet = mark_ce(packet, at);
  // A truncation rule may have removed all bytes that this fault could corrupt.
  if (verdict.corrupt && packet->pkt_len > at.content) packet = corrupt(packet, at, verdict.where);
  rte_mbuf* twin = verdict.duplicate ? rte_pktmbuf_copy(packet, copies_, 0, UINT32_MAX) : nullptr;
  if (verdict.reorder && held_ == nullptr) {
    held_ = packet;
    ++counters_.reordered;
    if (twin == nullptr) return;
  } else {
    out.put(packet);
  }
  if (twin != nullptr) {
    out.put(twin);
    ++counters_.duplicated;
  } else if (verdict.duplicate) {
    ++no_copy_;
  }
  if (held_ != packet) put_held(out);
}

void FaultInjector::pass(rte_mbuf* packet, Output& out, Time now) {
  const ByteSpan begin(data(packet), packet->data_len);
  const auto at = faults::locate_roce(begin, cc_port_);
  if (!at) {
    out.put(packet);
    return put_held(out);
  }
  const faults::FaultVerdict verdict = plan_.active() ? plan_.judge() : faults::FaultVerdict{};
  const faults::FaultRules::Judgement judged = rules_.judge(begin, *at);
  if (judged.qp == faults::FaultRules::kNone) return pass_random(packet, *at, verdict, out);
  pass_rules(packet, *at, verdict, judged, out, now);
}

std::size_t FaultInjector::apply(std::span<rte_mbuf* const> in, std::span<rte_mbuf*> out, Time now) {
  Output output{out};
  release_due(output, now);
  for (rte_mbuf* packet : in) pass(packet, output, now);
  if (in.empty()) put_held(output);
  return output.n;
}

}  // namespace softfeb::dataplane
