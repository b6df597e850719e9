// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "checking_receiver.hpp"
#include "craft_board.hpp"
#include "station.hpp"

#include <atomic>
#include <memory>

namespace softfeb::bench {

/// A board and a checking receiver, each on its PortQueue, at the two ends of a net_ring: the complete path
/// of a packet and its acknowledgement.
class LoopRig {
 public:
  /// `environment` must outlive this object.
  LoopRig(const Environment& environment, const CraftOptions& options);
  ~LoopRig();
  LoopRig(const LoopRig&) = delete;
  LoopRig& operator=(const LoopRig&) = delete;

  /// Starts or stops the receiver's port queue on lcore 1.
  void launch_receiver();
  void join_receiver();

  engine::Board& board() { return *board_; }
  dataplane::PortQueue& port_queue() { return board_station_->port_queue(); }
  CheckingReceiver& receiver() { return *receiver_; }

 private:
  static int run_receiver(void* self);

  const Environment& environment_;
  Station::Ground ground_;
  std::unique_ptr<board::PayloadSource> payload_;
  std::unique_ptr<engine::Board> board_;
  std::unique_ptr<CheckingReceiver> receiver_;
  std::unique_ptr<Station> board_station_;
  std::unique_ptr<Station> receiver_station_;
  std::atomic<bool> stop_{false};
};

}  // namespace softfeb::bench
