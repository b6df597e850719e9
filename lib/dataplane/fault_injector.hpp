// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/faults.hpp"
#include "dataplane/mempools.hpp"

#include <span>

struct rte_mbuf;
struct rte_mempool;

namespace softfeb::dataplane {

/// Carries a FaultPlan out on packets. RoCEv2 alone is touched; ARP and the rest pass. A packet to be
/// corrupted, or marked in memory that is not its own, is copied first: payloads in the arena and other
/// packets' bytes are never written. Without a buffer for the copy the packet passes unharmed (counted).
class FaultInjector {
 public:
  /// `frame_bytes`: longest frame. `held`: copies that may be out at one time.
  FaultInjector(const FaultPlan& plan, std::uint32_t frame_bytes, std::uint32_t held, unsigned lcores,
                Mempools& pools);
  ~FaultInjector();
  FaultInjector(const FaultInjector&) = delete;
  FaultInjector& operator=(const FaultInjector&) = delete;

  bool active() const { return plan_.active(); }

  /// Room `out` of apply() needs for `n` packets.
  static constexpr std::size_t room_for(std::size_t n) { return 2 * n + 1; }

  /// Takes the packets of `in`, puts those that shall go on into `out` (room_for(in.size())) and returns how
  /// many. A packet held back leaves behind the next one; a call with nothing gives it back when no next one
  /// came.
  std::size_t apply(std::span<rte_mbuf* const> in, std::span<rte_mbuf*> out);

  const FaultCounters& counters() const { return counters_; }
  std::uint64_t no_copy() const { return no_copy_; }

 private:
  rte_mbuf* corrupt(rte_mbuf* packet, const RoceLocation& at, std::uint64_t where);
  rte_mbuf* mark_ce(rte_mbuf* packet, const RoceLocation& at);
  rte_mbuf* replace_by_copy(rte_mbuf* packet);

  FaultPlan plan_;
  rte_mempool* copies_ = nullptr;
  rte_mbuf* held_ = nullptr;
  FaultCounters counters_;
  std::uint64_t no_copy_ = 0;
};

/// Sets ECN to CE in the IP header at `ip` and corrects IPv4's checksum (RFC 1624). False, nothing written,
/// when the packet is not ECN-capable or marked already. The iCRC stays right: it does not cover these
/// fields.
bool set_congestion_experienced(std::uint8_t* ip, bool ipv6);

}  // namespace softfeb::dataplane
