// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/fault_injector.hpp"

#include "faults/edit.hpp"
#include "roce/headers.hpp"

#include <utility>

#include <rte_mbuf.h>

namespace softfeb::dataplane {
namespace {

/// Offset in the BTH of the byte that the iCRC does not cover (FECN, BECN, reserved).
constexpr std::uint32_t kReserved8a = 4;

std::uint8_t* data(rte_mbuf* m) { return rte_pktmbuf_mtod(m, std::uint8_t*); }

}  // namespace

rte_mbuf* RuledMbufs::copy(const rte_mbuf* packet) const {
  return rte_pktmbuf_copy(packet, pool, 0, UINT32_MAX);
}

bool RuledMbufs::replaced_by_copy(rte_mbuf*& packet) {
  if (packet->pool == pool) return true;
  rte_mbuf* const own = copy(packet);
  if (own == nullptr) {
    ++no_copy_;
    return false;
  }
  rte_pktmbuf_free(packet);
  packet = own;
  return true;
}

/// Returns the bytes of a frame. Returns an empty span if the frame is a chain, because a chain cannot be
/// changed. A frame is a chain if it is longer than the buffers of the copies.
MutableByteSpan RuledMbufs::piece(rte_mbuf* packet) {
  if (packet->nb_segs != 1) return {};
  return {data(packet), packet->data_len};
}

void RuledMbufs::edited(rte_mbuf* packet, std::size_t size) {
  rte_pktmbuf_trim(packet, static_cast<std::uint16_t>(packet->data_len - size));
}

void RuledMbufs::release(rte_mbuf* packet) { rte_pktmbuf_free(packet); }

/// Takes what the rules output for one packet: the packet itself, copies that the rules add, and held packets
/// that they release.
class FaultInjector::Exit {
 public:
  Exit(FaultInjector& injector, const faults::RoceLocation& at, const faults::FaultVerdict& verdict,
       Output& out)
      : injector_(injector), at_(at), verdict_(verdict), out_(out) {}

  bool room() const { return out_.room(); }
  bool forward(rte_mbuf* packet) {
    const std::size_t before = out_.n;
    injector_.pass_random(packet, at_, verdict_, out_);
    return out_.n != before;
  }
  static void drop(rte_mbuf* packet) { rte_pktmbuf_free(packet); }
  void add_copy(rte_mbuf* packet) { out_.add_held(packet); }
  void add_held(rte_mbuf* packet) { out_.add_held(packet); }

 private:
  FaultInjector& injector_;
  const faults::RoceLocation& at_;
  const faults::FaultVerdict& verdict_;
  Output& out_;
};

FaultInjector::FaultInjector(const faults::FaultPlan& plan, std::uint32_t frame_bytes, std::uint32_t held,
                             unsigned lcores, Mempools& pools, std::uint16_t cc_port,
                             faults::FaultRules rules, const faults::HoldLimits& limits)
    : plan_(plan), cc_port_(cc_port), rules_(packets_, std::move(rules), limits) {
  if (!active()) return;
  const std::uint32_t copies = held + (rules_.active() ? limits.packets : 0);
  packets_.pool = pools.create("copies for faults", pool_size(copies, lcores), frame_bytes);
}

FaultInjector::~FaultInjector() { rte_pktmbuf_free(held_); }

rte_mbuf* FaultInjector::corrupt(rte_mbuf* packet, const faults::RoceLocation& at, std::uint64_t where) {
  if (!packets_.replaced_by_copy(packet)) return packet;
  // Flip a bit that a checksum protects, so that a correct receiver must drop the packet. The bit is in the
  // iCRC, in the bytes that the iCRC covers, or in the congestion control header, which has a checksum of its
  // own. The copy may be a chain.
  std::uint32_t offset =
      at.content + static_cast<std::uint32_t>((where >> 3) % (packet->pkt_len - at.content));
  if (offset == at.bth + kReserved8a) ++offset;
  rte_mbuf* m = packet;
  for (; offset >= m->data_len; m = m->next) offset -= m->data_len;
  data(m)[offset] = static_cast<std::uint8_t>(data(m)[offset] ^ (1U << (where & 7)));
  ++counters_.corrupted;
  return packet;
}

rte_mbuf* FaultInjector::mark_ce(rte_mbuf* packet, const faults::RoceLocation& at) {
  const bool shared = !RTE_MBUF_DIRECT(packet) || rte_mbuf_refcnt_read(packet) != 1;
  if (shared && !packets_.replaced_by_copy(packet)) return packet;
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
  // A rule may have cut off the bytes that would be changed.
  if (verdict.mark_ce && packet->data_len >= at.content) packet = mark_ce(packet, at);
  if (verdict.corrupt && packet->pkt_len > at.content) packet = corrupt(packet, at, verdict.where);
  rte_mbuf* twin = verdict.duplicate ? packets_.copy(packet) : nullptr;
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
    packets_.count_no_copy();
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
  Exit exit(*this, *at, verdict, out);
  rules_.apply(packet, *at, judged, exit, now);
}

std::size_t FaultInjector::apply(std::span<rte_mbuf* const> in, std::span<rte_mbuf*> out, Time now) {
  Output output{out};
  rules_.release_due(output, now);
  for (rte_mbuf* packet : in) pass(packet, output, now);
  if (in.empty()) put_held(output);
  return output.n;
}

}  // namespace softfeb::dataplane
