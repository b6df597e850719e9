// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "dataplane/mempools.hpp"
#include "faults/fault_plan.hpp"
#include "faults/fault_rules.hpp"
#include "faults/held_packets.hpp"
#include "faults/location.hpp"
#include "faults/rule_actions.hpp"

#include <span>

struct rte_mbuf;
struct rte_mempool;

namespace softfeb::dataplane {

/// Gives fault rules access to the mbufs of a port, so that the rules can change, copy and hold packets
/// (faults::RuleActions). Copies are mbufs of one pool. A packet is replaced by a copy before it is changed
/// or held. Thus, payloads in the arena and shared buffers are never written, and no buffers of the port are
/// held.
class RuledMbufs {
 public:
  using Packet = rte_mbuf*;

  rte_mbuf* copy(const rte_mbuf* packet) const;
  MutableByteSpan writable(rte_mbuf*& packet) {
    return replaced_by_copy(packet) ? piece(packet) : MutableByteSpan();
  }
  static void edited(rte_mbuf* packet, std::size_t size);
  bool prepare_hold(rte_mbuf*& packet) { return replaced_by_copy(packet); }
  static void release(rte_mbuf* packet);

  /// Replaces the packet by a copy, unless it is a copy already. If no buffer is free, counts the failure and
  /// returns false.
  bool replaced_by_copy(rte_mbuf*& packet);
  /// Number of copies that replaced_by_copy() could not make.
  std::uint64_t no_copy() const { return no_copy_; }
  void count_no_copy() { ++no_copy_; }

  rte_mempool* pool = nullptr;  ///< pool of the copies

 private:
  static MutableByteSpan piece(rte_mbuf* packet);

  std::uint64_t no_copy_ = 0;
};

/// Applies fault rules and then a FaultPlan to the packets of one direction of a port queue. Affects RoCEv2
/// packets only; all other packets, such as ARP, pass unchanged. A packet that rules drop or hold back is not
/// subject to random faults, but the plan nevertheless draws random numbers for this packet, so that rules do
/// not change the random faults of later packets.
///
/// Copies a packet before changing or holding it. Thus, payloads in the arena and shared buffers are never
/// written, and packets that are held back do not occupy the port's buffers. If no buffer is free for the
/// copy, the packet passes without the fault. no_copy() counts the random faults that were skipped for this
/// reason; RuleCounters counts the skipped rules as refused.
class FaultInjector {
 public:
  /// `frame_bytes` is the length of the longest frame in bytes. `held` is the maximum number of copies in use
  /// at one time, not counting those that rules hold. `cc_port` is the UDP port of packets with a congestion
  /// control header.
  FaultInjector(const faults::FaultPlan& plan, std::uint32_t frame_bytes, std::uint32_t held, unsigned lcores,
                Mempools& pools, std::uint16_t cc_port = roce::kCongestionUdpPort,
                faults::FaultRules rules = {}, const faults::HoldLimits& limits = {});
  ~FaultInjector();
  FaultInjector(const FaultInjector&) = delete;
  FaultInjector& operator=(const FaultInjector&) = delete;

  bool active() const { return plan_.active() || rules_.active(); }

  /// Maximum number of packets that rules add to a burst.
  static constexpr std::size_t kExtra = 256;
  /// Size of `out` that apply() needs for `n` packets.
  static constexpr std::size_t room_for(std::size_t n) { return 2 * n + 1 + kExtra; }

  /// Takes ownership of the packets in `in` and puts the packets to forward into `out`, which must have
  /// room_for(in.size()) entries. Returns their number. A packet that random faults hold back is sent after
  /// the next packet. If no further packet arrives, a call with an empty `in` releases the packet that is
  /// held back. Packets that rules hold are released when they are due.
  std::size_t apply(std::span<rte_mbuf* const> in, std::span<rte_mbuf*> out, Time now);

  /// Time at which apply() must be called to release a packet; kNever if rules hold none.
  Time next_release() const { return rules_.next_due(); }

  const faults::FaultCounters& counters() const { return counters_; }
  std::uint64_t no_copy() const { return packets_.no_copy(); }
  /// Indexed like the rules.
  const std::vector<faults::RuleCounters>& rule_counters() const { return rules_.counters(); }

 private:
  /// The packets that apply() puts into its `out`.
  struct Output {
    std::span<rte_mbuf*> out;
    std::size_t n = 0;
    std::size_t extra = kExtra;  ///< number of packets that rules may still add

    void put(rte_mbuf* packet) { out[n++] = packet; }
    bool room() const { return extra != 0; }
    void add_held(rte_mbuf* packet) {
      --extra;
      put(packet);
    }
  };
  class Exit;

  void pass(rte_mbuf* packet, Output& out, Time now);
  void pass_random(rte_mbuf* packet, const faults::RoceLocation& at, const faults::FaultVerdict& verdict,
                   Output& out);
  void put_held(Output& out);
  rte_mbuf* corrupt(rte_mbuf* packet, const faults::RoceLocation& at, std::uint64_t where);
  rte_mbuf* mark_ce(rte_mbuf* packet, const faults::RoceLocation& at);

  faults::FaultPlan plan_;
  std::uint16_t cc_port_;
  RuledMbufs packets_;
  faults::RuleActions<RuledMbufs> rules_;
  rte_mbuf* held_ = nullptr;  ///< packet that a random fault holds back
  faults::FaultCounters counters_;
};

}  // namespace softfeb::dataplane
