// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ack_source.hpp"
#include "bare_loop.hpp"
#include "craft_board.hpp"
#include "dataplane/arena.hpp"
#include "dataplane/device.hpp"
#include "dataplane/mempools.hpp"
#include "dataplane/port.hpp"
#include "dataplane/port_queue.hpp"
#include "dataplane/tx_builder.hpp"

#include <memory>
#include <vector>

namespace softfeb::bench {

/// Resources for ports that all rigs of a process share.
struct CraftMachine {
  dataplane::Mempools pools;
  dataplane::DeviceFactory devices;
};

/// A net_null port with a queue for each worker and each bare loop. Each worker has a board on its PortQueue,
/// as in softfeb run, and a far end that acknowledges.
class CraftRig {
 public:
  /// All references must outlive this object. Fills `payload`.
  CraftRig(const Environment& environment, const CraftOptions& options, board::PayloadSource& payload,
           CraftMachine& machine);
  ~CraftRig();
  CraftRig(const CraftRig&) = delete;
  CraftRig& operator=(const CraftRig&) = delete;

  void start(Time now);
  /// One iteration of a worker's port queue; called by that worker's thread.
  void turn(unsigned worker, Time now) { seats_[worker].port_queue->run(now); }
  /// Number of packets that a worker's port accepted.
  std::uint64_t sent(unsigned worker) const { return seats_[worker].port_queue->counters().tx_packets; }
  BareLoop& bare() { return *bare_; }
  BareLoop& best() { return *best_; }
  /// Sum over the boards of all workers.
  BoardTotals totals() const;

 private:
  struct Seat {
    std::unique_ptr<engine::Board> board;
    std::unique_ptr<dataplane::TxBuilder> builder;
    std::unique_ptr<dataplane::PortQueue> port_queue;
    std::unique_ptr<AckSource> acks;
  };

  void make_port(const CraftOptions& options, unsigned lcores);
  void make_seat(const CraftOptions& options, unsigned worker, unsigned lcores);

  CraftMachine& machine_;
  dataplane::Arena arena_;
  std::unique_ptr<dataplane::Device> device_;
  std::unique_ptr<dataplane::Port> port_;
  dataplane::PortMap map_;
  std::vector<Seat> seats_;
  std::unique_ptr<BareLoop> bare_, best_;
};

}  // namespace softfeb::bench
