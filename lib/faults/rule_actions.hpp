// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "faults/edit.hpp"
#include "faults/fault_rules.hpp"
#include "faults/held_packets.hpp"
#include "faults/location.hpp"
#include "roce/headers.hpp"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace softfeb::faults {

/// Carries out the rules on the packets of a queue or of one direction of a link: finds the rules that apply
/// to a packet, and drops, changes, copies, holds and releases packets. Ports and simulated links use this
/// class; they differ in what a packet is and in where it goes. After construction, only `Packets` may
/// allocate memory.
///
/// `Packets` defines what a packet is. It must have these members:
///
///     using Packet = …;                        // a pointer
///     Packet copy(Packet);                     // an independent copy; null: there is no room
///     MutableByteSpan writable(Packet&);       // all bytes in one piece, which no other packet shares;
///                                              // may replace the packet by a copy; empty: not possible
///     void edited(Packet, std::size_t size);   // the bytes have changed; `size` of them remain
///     bool prepare_hold(Packet&);              // makes the packet fit to be held for long, for example as
///                                              // a copy; false: not possible
///     void release(Packet);
///
/// `Exit` takes the packets that leave. It must have these members:
///
///     bool room();              // false: no copy and no held packet may leave at present
///     bool forward(Packet);     // the packet itself; returns true if it left
///     void drop(Packet);        // the packet itself, if rules drop it
///     void add_copy(Packet);    // requires room()
///     void add_held(Packet);    // a packet that was held; requires room()
template <class Packets>
class RuleActions {
 public:
  using Packet = typename Packets::Packet;

  /// `packets` must outlive this object.
  RuleActions(Packets& packets, FaultRules rules, const HoldLimits& limits)
      : packets_(packets),
        rules_(std::move(rules)),
        longest_(limits.longest),
        store_(rules_.active() ? limits.packets : 0, rules_.states()) {}
  ~RuleActions() {
    store_.clear([this](Packet packet) { packets_.release(packet); });
  }
  RuleActions(const RuleActions&) = delete;
  RuleActions& operator=(const RuleActions&) = delete;

  bool active() const { return rules_.active(); }

  /// See FaultRules::judge(). The caller passes the packet to apply() if rules may apply to its queue pair.
  FaultRules::Judgement judge(ByteSpan frame, const RoceLocation& at) { return rules_.judge(frame, at); }

  /// Applies the rules of `judged` to `packet`, and takes ownership. `now` is the time at which the packet
  /// would leave or arrive if there were no rules. All packets must be judged and applied in the order of
  /// this time. A reordered packet leaves as soon as the packets that must overtake it have left. A delayed
  /// packet leaves in release_due() or take_due().
  template <class Exit>
  void apply(Packet packet, const RoceLocation& at, const FaultRules::Judgement& judged, Exit& exit,
             Time now);

  /// Lets all held packets that are due at `now` leave. Packets for which there is no room remain due.
  template <class Exit>
  void release_due(Exit& exit, Time now) {
    while (exit.room()) {
      const Packet packet = store_.take_due(now);
      if (packet == nullptr) return;
      exit.add_held(packet);
    }
  }
  /// Removes and returns the first held packet that is due at `now`; null if there is none.
  Packet take_due(Time now) { return store_.take_due(now); }
  /// Time of the next packet that is due; kNever if none is held.
  Time next_due() const { return store_.next_due(); }
  /// Number of packets held back, without those that are kept for replays.
  std::size_t held() const { return store_.held(); }

  /// Indexed like the rules.
  const std::vector<RuleCounters>& counters() const { return rules_.counters(); }

 private:
  /// Due time of packets that enough later packets have overtaken. It is before all other due times.
  static constexpr Time kOvertaken = 0;

  const FaultAction& action(const RuleHit& hit) const { return rules_.rule(hit.rule).action; }
  void count(const RuleHit& hit, bool applied) {
    if (applied) {
      rules_.applied(hit.rule);
    } else {
      rules_.refused(hit.rule);
    }
  }
  void keep(Packet packet, const RuleHit& hit);
  void change(Packet& packet, const RoceLocation& at, const RuleHit& hit);
  void refuse_others(const FaultRules::Judgement& judged);
  bool hold(Packet& packet, const FaultAction& by, std::uint32_t qp, Time now);
  template <class Exit>
  void send(Packet packet, const FaultRules::Judgement& judged, const RuleHit* held_by, Exit& exit, Time now);
  template <class Exit>
  bool duplicate(Packet packet, const RuleHit& hit, Exit& exit);
  template <class Exit>
  void replay(const RuleHit& hit, Exit& exit);

  Packets& packets_;
  FaultRules rules_;
  Time longest_;
  HeldPackets<Packet> store_;
};

template <class Packets>
template <class Exit>
void RuleActions<Packets>::apply(Packet packet, const RoceLocation& at, const FaultRules::Judgement& judged,
                                 Exit& exit, Time now) {
  const RuleHit* held_by = nullptr;
  bool dropped = false;
  // Keep a copy for the replay before the edits change the packet.
  for (const RuleHit& hit : judged.hits) {
    if (hit.keep) keep(packet, hit);
  }
  for (const RuleHit& hit : judged.hits) {
    if (hit.keep) continue;
    const ActionKind kind = action(hit).kind;
    if (is_edit(kind)) {
      change(packet, at, hit);
    } else if (kind == ActionKind::kDrop) {
      dropped = true;
      count(hit, true);
    } else if (kind == ActionKind::kReorder || kind == ActionKind::kDelay) {
      if (held_by != nullptr) count(hit, false);  // a packet can be held only once
      if (held_by == nullptr) held_by = &hit;
    }
  }
  if (dropped) {
    refuse_others(judged);
    exit.drop(packet);
  } else {
    send(packet, judged, held_by, exit, now);
  }
  for (const RuleHit& hit : judged.hits) {
    if (!hit.keep && action(hit).kind == ActionKind::kReplay) replay(hit, exit);
  }
}

/// Keeps a copy of the packet for a replay. If no copy can be kept, the replay is refused later.
template <class Packets>
void RuleActions<Packets>::keep(Packet packet, const RuleHit& hit) {
  if (store_.full()) return;
  const Packet copy = packets_.copy(packet);
  if (copy != nullptr) store_.keep(hit.state, copy);
}

template <class Packets>
void RuleActions<Packets>::change(Packet& packet, const RoceLocation& at, const RuleHit& hit) {
  const MutableByteSpan bytes = packets_.writable(packet);
  std::optional<std::size_t> size;
  // An earlier rule may have cut off headers.
  if (bytes.size() >= at.bth + roce::Bth::kSize) size = edit(action(hit), bytes, at);
  count(hit, size.has_value());
  if (size) packets_.edited(packet, *size);
}

/// If a rule drops the packet, counts the rules that would have held or duplicated the packet as refused. If
/// several rules would have held it, apply() has already counted all of them except the first.
template <class Packets>
void RuleActions<Packets>::refuse_others(const FaultRules::Judgement& judged) {
  bool held = false;
  for (const RuleHit& hit : judged.hits) {
    if (hit.keep) continue;
    const ActionKind kind = action(hit).kind;
    const bool holds = kind == ActionKind::kReorder || kind == ActionKind::kDelay;
    if (kind == ActionKind::kDuplicate || (holds && !held)) count(hit, false);
    held = held || holds;
  }
}

/// Sends the packet and its copies. If `held_by` is not null and the packet can be held, only the copies
/// leave now.
template <class Packets>
template <class Exit>
void RuleActions<Packets>::send(Packet packet, const FaultRules::Judgement& judged, const RuleHit* held_by,
                                Exit& exit, Time now) {
  bool left = false;
  for (const RuleHit& hit : judged.hits) {
    if (!hit.keep && action(hit).kind == ActionKind::kDuplicate) left = duplicate(packet, hit, exit) || left;
  }
  const bool held = held_by != nullptr && hold(packet, action(*held_by), judged.qp, now);
  if (held_by != nullptr) count(*held_by, held);
  // A packet that is now held must not count as overtaking itself.
  if (held) return;
  left = exit.forward(packet) || left;
  if (!left) return;
  store_.overtaken(judged.qp);
  release_due(exit, kOvertaken);
}

/// If the packet can be held, takes ownership of it and returns true. Otherwise returns false.
template <class Packets>
bool RuleActions<Packets>::hold(Packet& packet, const FaultAction& by, std::uint32_t qp, Time now) {
  if (store_.full() || !packets_.prepare_hold(packet)) return false;
  if (by.kind == ActionKind::kDelay) {
    store_.hold(packet, qp, 0, saturating_add(now, by.delay));
  } else {
    store_.hold(packet, qp, by.value, saturating_add(now, longest_));
  }
  return true;
}

/// Sends the copies that a duplicating rule requests. Counts the rule as refused if a copy cannot be created.
/// Returns true if at least one copy has left.
template <class Packets>
template <class Exit>
bool RuleActions<Packets>::duplicate(Packet packet, const RuleHit& hit, Exit& exit) {
  const std::uint32_t wanted = action(hit).value;
  std::uint32_t made = 0;
  for (; made < wanted; ++made) {
    const Packet copy = exit.room() ? packets_.copy(packet) : nullptr;
    if (copy == nullptr) break;
    exit.add_copy(copy);
  }
  count(hit, made == wanted);
  return made != 0;
}

template <class Packets>
template <class Exit>
void RuleActions<Packets>::replay(const RuleHit& hit, Exit& exit) {
  const Packet kept = store_.kept(hit.state);
  const Packet copy = kept == nullptr || !exit.room() ? nullptr : packets_.copy(kept);
  count(hit, copy != nullptr);
  if (copy != nullptr) exit.add_copy(copy);
}

}  // namespace softfeb::faults
