// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "checking_receiver.hpp"
#include "craft_board.hpp"
#include "dataplane/arena.hpp"
#include "dataplane/device.hpp"
#include "dataplane/lane.hpp"
#include "dataplane/mempools.hpp"
#include "dataplane/port.hpp"
#include "dataplane/tx_builder.hpp"

#include <atomic>
#include <memory>
#include <vector>

namespace softfeb::bench {

/// A board and a checking receiver, each on its Lane, at the two ends of a net_ring: the whole way of a
/// packet and of its acknowledgement.
class LoopRig {
 public:
  /// `environment` outlives it. `shape` may change the queue pairs' configuration.
  LoopRig(const Environment& environment, const CraftOptions& options, const QpShape& shape = {});
  ~LoopRig();
  LoopRig(const LoopRig&) = delete;
  LoopRig& operator=(const LoopRig&) = delete;

  /// The receiver's lane begins to run on lcore 1, or ends.
  void launch_receiver();
  void join_receiver();

  engine::Board& board() { return *board_; }
  dataplane::Lane& lane() { return *ends_[0].lane; }
  CheckingReceiver& receiver() { return *receiver_; }

 private:
  struct End {
    std::unique_ptr<dataplane::Device> device;
    std::unique_ptr<dataplane::Port> port;
    std::unique_ptr<dataplane::TxBuilder> builder;
    std::unique_ptr<dataplane::PortMap> map;
    std::unique_ptr<dataplane::Lane> lane;
  };

  void make_port(End& end, const CraftOptions& options, const roce::MacAddress& mac);
  void make_lane(End& end, engine::Endpoint& endpoint, const CraftOptions& options,
                 const dataplane::Arena* arena);
  static int run_receiver(void* self);

  const Environment& environment_;
  dataplane::Mempools pools_;
  dataplane::Arena arena_;
  std::unique_ptr<board::PayloadSource> payload_;
  std::unique_ptr<engine::Board> board_;
  std::unique_ptr<CheckingReceiver> receiver_;
  dataplane::DeviceFactory factory_;
  std::array<End, 2> ends_;  ///< the board's, the receiver's
  std::atomic<bool> stop_{false};
};

}  // namespace softfeb::bench
