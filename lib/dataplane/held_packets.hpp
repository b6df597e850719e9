// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

struct rte_mbuf;

namespace softfeb::dataplane {

/// Packets that fault rules hold back, and packets that they replay. Owns the packets; a destroyed store
/// frees them. No allocation after construction.
class HeldPackets {
 public:
  /// `limit`: maximum number of packets in the store, including those kept for replays. `replays`: number of
  /// packets that may be kept for replays.
  HeldPackets(std::size_t limit, std::size_t replays);
  ~HeldPackets();
  HeldPackets(const HeldPackets&) = delete;
  HeldPackets& operator=(const HeldPackets&) = delete;

  bool full() const { return held_.size() + kept_count_ >= limit_; }

  /// Holds `packet`, of queue pair `qp`, until `due` or until `behind` packets of the queue pair have
  /// overtaken it (0: only until `due`). Requires !full().
  void hold(rte_mbuf* packet, std::uint32_t qp, std::uint32_t behind, Time due);
  /// Counts a packet of `qp` that leaves and thus overtakes all held packets of `qp`. A held packet becomes
  /// due when `behind` packets have overtaken it.
  void overtaken(std::uint32_t qp);
  /// Removes and returns the first packet that is due at `now`; null if there is none.
  rte_mbuf* take_due(Time now);
  Time next_due() const { return next_due_; }

  /// Keeps `packet` for replay `index`, below `replays`. Requires !full().
  void keep(std::size_t index, rte_mbuf* packet);
  /// Returns the packet of replay `index`, which remains in the store; null if there is none.
  const rte_mbuf* kept(std::size_t index) const { return kept_[index]; }

 private:
  struct Held {
    rte_mbuf* packet = nullptr;
    std::uint32_t qp = 0;
    std::uint32_t behind = 0;
    Time due = 0;
  };
  void find_next_due();

  std::size_t limit_ = 0;
  std::vector<Held> held_;  ///< in the order in which they were held
  std::vector<rte_mbuf*> kept_;
  std::size_t kept_count_ = 0;
  Time next_due_ = kNever;
};

}  // namespace softfeb::dataplane
