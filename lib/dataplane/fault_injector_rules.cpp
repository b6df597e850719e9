// SPDX-License-Identifier: BSD-3-Clause
// The part of FaultInjector that carries out rules.
#include "dataplane/fault_injector.hpp"
#include "faults/edit.hpp"

#include <algorithm>

#include <rte_mbuf.h>

namespace softfeb::dataplane {

using faults::ActionKind;
using faults::RuleHit;

void FaultInjector::count(const RuleHit& hit, bool applied) {
  if (applied) {
    rules_.applied(hit.rule);
  } else {
    rules_.refused(hit.rule);
  }
}

/// Applies the rules in the order of their actions.
void FaultInjector::pass_rules(rte_mbuf* packet, const faults::RoceLocation& at,
                               const faults::FaultVerdict& verdict,
                               const faults::FaultRules::Judgement& judged, Output& out, Time now) {
  const RuleHit* held_by = nullptr;
  bool dropped = false;
  // Keep a copy for the replay before the edits change the packet.
  for (const RuleHit& hit : judged.hits) {
    if (hit.keep) keep(packet, hit);
  }
  for (const RuleHit& hit : judged.hits) {
    if (hit.keep) continue;
    const ActionKind kind = rules_.rule(hit.rule).action.kind;
    if (faults::is_edit(kind)) {
      packet = edit(packet, at, hit);
    } else if (kind == ActionKind::kDrop) {
      dropped = true;
      count(hit, true);
    } else if (kind == ActionKind::kReorder || kind == ActionKind::kDelay) {
      if (held_by != nullptr) count(hit, false);  // only the first such rule can hold the packet
      if (held_by == nullptr) held_by = &hit;
    }
  }
  if (dropped) {
    drop(packet, judged);
  } else {
    release(packet, at, verdict, judged, held_by, out, now);
  }
  for (const RuleHit& hit : judged.hits) {
    if (!hit.keep && rules_.rule(hit.rule).action.kind == ActionKind::kReplay) replay(hit, out);
  }
}

/// Frees a dropped packet. Rules that would have delayed, reordered or duplicated this packet are counted as
/// refused.
void FaultInjector::drop(rte_mbuf* packet, const faults::FaultRules::Judgement& judged) {
  for (const RuleHit& hit : judged.hits) {
    const ActionKind kind = rules_.rule(hit.rule).action.kind;
    const bool lost =
        kind == ActionKind::kDuplicate || kind == ActionKind::kReorder || kind == ActionKind::kDelay;
    if (!hit.keep && lost) count(hit, false);
  }
  rte_pktmbuf_free(packet);
}

/// Sends the packet and its duplicates. If `held_by` is not null, that rule holds the packet back, and only
/// the duplicates leave now.
void FaultInjector::release(rte_mbuf* packet, const faults::RoceLocation& at,
                            const faults::FaultVerdict& verdict, const faults::FaultRules::Judgement& judged,
                            const RuleHit* held_by, Output& out, Time now) {
  const std::size_t before = out.n;
  for (const RuleHit& hit : judged.hits) {
    if (!hit.keep && rules_.rule(hit.rule).action.kind == ActionKind::kDuplicate)
      put_copies(packet, hit, out);
  }
  const bool held = held_by != nullptr && hold(packet, rules_.rule(held_by->rule).action, judged.qp, now);
  if (held_by != nullptr) count(*held_by, held);
  if (!held) pass_random(packet, at, verdict, out);
  if (out.n == before) return;
  // A packet that was just held has not left, so it does not overtake held packets.
  if (!held) store_.overtaken(judged.qp);
  release_due(out, now);
}

/// Applies an edit action to a copy of the packet, and returns the copy. If the rule is refused, returns the
/// packet or an unchanged copy.
rte_mbuf* FaultInjector::edit(rte_mbuf* packet, const faults::RoceLocation& at, const RuleHit& hit) {
  if (packet->pool != copies_) {
    rte_mbuf* const copy = replace_by_copy(packet);
    if (copy == nullptr) {
      count(hit, false);
      return packet;
    }
    packet = copy;
  }
  // The edit needs the whole packet in one segment. The copy is a chain if the frame is longer than a buffer.
  if (packet->nb_segs != 1 || packet->data_len < at.bth + roce::Bth::kSize) {
    count(hit, false);
    return packet;
  }
  const MutableByteSpan bytes(rte_pktmbuf_mtod(packet, std::uint8_t*), packet->data_len);
  const auto size = faults::edit(rules_.rule(hit.rule).action, bytes, at);
  count(hit, size.has_value());
  if (size) rte_pktmbuf_trim(packet, static_cast<std::uint16_t>(bytes.size() - *size));
  return packet;
}

/// Keeps a copy of the packet for a later replay. Without this copy, replay() counts the rule as refused.
void FaultInjector::keep(const rte_mbuf* packet, const RuleHit& hit) {
  if (store_.full()) return;
  rte_mbuf* const copy = rte_pktmbuf_copy(packet, copies_, 0, UINT32_MAX);
  if (copy != nullptr) store_.keep(hit.state, copy);
}

void FaultInjector::replay(const RuleHit& hit, Output& out) {
  const rte_mbuf* const kept = store_.kept(hit.state);
  rte_mbuf* const copy =
      kept == nullptr || out.extra == 0 ? nullptr : rte_pktmbuf_copy(kept, copies_, 0, UINT32_MAX);
  count(hit, copy != nullptr);
  if (copy == nullptr) return;
  --out.extra;
  out.put(copy);
}

/// Takes ownership of the packet and returns true if it can be held.
bool FaultInjector::hold(rte_mbuf* packet, const faults::FaultAction& action, std::uint32_t qp, Time now) {
  if (store_.full()) return false;
  if (packet->pool != copies_) {
    packet = replace_by_copy(packet);
    if (packet == nullptr) return false;
  }
  if (action.kind == ActionKind::kDelay) {
    store_.hold(packet, qp, 0, saturating_add(now, action.delay));
  } else {
    store_.hold(packet, qp, action.value, saturating_add(now, limits_.longest));
  }
  return true;
}

/// Puts the copies that a `duplicate` rule makes into `out`. The rule counts as refused if one of the copies
/// cannot be made.
void FaultInjector::put_copies(const rte_mbuf* packet, const RuleHit& hit, Output& out) {
  bool all = true;
  for (std::uint32_t i = 0; i < rules_.rule(hit.rule).action.value; ++i) {
    rte_mbuf* const copy = out.extra == 0 ? nullptr : rte_pktmbuf_copy(packet, copies_, 0, UINT32_MAX);
    all = all && copy != nullptr;
    if (copy == nullptr) break;
    --out.extra;
    out.put(copy);
  }
  count(hit, all);
}

/// Moves held packets that are due to `out`. If `out` has no room for a packet, the packet stays due until
/// the next call.
void FaultInjector::release_due(Output& out, Time now) {
  while (out.extra != 0) {
    rte_mbuf* const packet = store_.take_due(now);
    if (packet == nullptr) return;
    --out.extra;
    out.put(packet);
  }
}

}  // namespace softfeb::dataplane
