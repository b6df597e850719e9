// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/mempools.hpp"
#include "faults/fault_plan.hpp"
#include "faults/location.hpp"

#include <span>

struct rte_mbuf;
struct rte_mempool;

namespace softfeb::dataplane {

/// Applies a FaultPlan to packets. Affects RoCEv2 packets only; all other packets, such as ARP, pass
/// unchanged. Copies a packet before corrupting it, and before marking it if its mbuf is shared or indirect,
/// so that payloads in the arena and shared buffers are never written. If no buffer is free, the packet
/// passes without that fault and is counted in no_copy().
class FaultInjector {
 public:
  /// `frame_bytes`: longest frame in bytes. `held`: maximum number of copies in use at one time. `cc_port`:
  /// UDP port of packets with a congestion control header.
  FaultInjector(const faults::FaultPlan& plan, std::uint32_t frame_bytes, std::uint32_t held, unsigned lcores,
                Mempools& pools, std::uint16_t cc_port = roce::kCongestionUdpPort);
  ~FaultInjector();
  FaultInjector(const FaultInjector&) = delete;
  FaultInjector& operator=(const FaultInjector&) = delete;

  bool active() const { return plan_.active(); }

  /// Size of `out` that apply() needs for `n` packets.
  static constexpr std::size_t room_for(std::size_t n) { return 2 * n + 1; }

  /// Takes ownership of the packets in `in` and puts the packets to forward into `out`, which must have
  /// room_for(in.size()) entries. Returns their number. A packet held back for reordering is sent after the
  /// next one. If no further packet arrives, a call with an empty `in` releases the held one.
  std::size_t apply(std::span<rte_mbuf* const> in, std::span<rte_mbuf*> out);

  const faults::FaultCounters& counters() const { return counters_; }
  std::uint64_t no_copy() const { return no_copy_; }

 private:
  rte_mbuf* corrupt(rte_mbuf* packet, const faults::RoceLocation& at, std::uint64_t where);
  rte_mbuf* mark_ce(rte_mbuf* packet, const faults::RoceLocation& at);
  rte_mbuf* replace_by_copy(rte_mbuf* packet);

  faults::FaultPlan plan_;
  std::uint16_t cc_port_;
  rte_mempool* copies_ = nullptr;
  rte_mbuf* held_ = nullptr;
  faults::FaultCounters counters_;
  std::uint64_t no_copy_ = 0;
};

}  // namespace softfeb::dataplane
