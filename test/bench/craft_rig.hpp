// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ack_source.hpp"
#include "bare_loop.hpp"
#include "craft_board.hpp"
#include "dpdk_rig.hpp"

#include <memory>
#include <vector>

namespace softfeb::bench {

/// A net_null port with a queue for each worker and each bare loop. Each worker has a board on its PortQueue,
/// as in softfeb run, and a far end that acknowledges.
class CraftRig {
 public:
  /// All references must outlive this object. Fills `payload`.
  CraftRig(const Environment& environment, const CraftOptions& options, board::PayloadSource& payload,
           test::DpdkRig& rig);
  ~CraftRig();
  CraftRig(const CraftRig&) = delete;
  CraftRig& operator=(const CraftRig&) = delete;

  void start(Time now);
  /// One iteration of a worker's port queue; called by that worker's thread.
  void turn(unsigned worker, Time now) { workers_[worker].port_queue->run(now); }
  /// Number of packets that a worker's port accepted.
  std::uint64_t sent(unsigned worker) const { return workers_[worker].port_queue->counters().tx_packets; }
  BareLoop& bare() { return *bare_; }
  BareLoop& best() { return *best_; }
  /// Sum over the boards of all workers.
  BoardTotals totals() const;

 private:
  struct WorkerLoop {
    std::unique_ptr<engine::Board> board;
    std::unique_ptr<dataplane::PortQueue> port_queue;
    std::unique_ptr<AckSource> acks;
  };

  test::RigPort port_;
  std::vector<WorkerLoop> workers_;
  std::unique_ptr<BareLoop> bare_, best_;
};

}  // namespace softfeb::bench
