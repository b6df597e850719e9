// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dpdk_rig.hpp"
#include "endpoints.hpp"

#include <atomic>
#include <memory>
#include <string>

namespace softfeb::bench {

/// Configures a short ring, which limits the number of packets that wait between two cores. If one core is
/// slower than the other, a ring of any length fills up, and the mbufs of a long ring would not fit into any
/// cache. `device` is the device name, as in a configuration.
test::RigPortConfig short_ring(const Environment& environment, const std::string& device, std::uint32_t pmtu,
                               const roce::MacAddress& mac);

/// A board and a checking receiver at the two ends of a net_ring, each on its own PortQueue. Packets and
/// acknowledgements take the same path as in softfeb run.
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
  dataplane::PortQueue& port_queue() { return *board_queue_; }
  CheckingReceiver& receiver() { return *receiver_; }

 private:
  static int run_receiver(void* self);

  const Environment& environment_;
  test::DpdkRig rig_;
  std::unique_ptr<board::PayloadSource> payload_;
  std::unique_ptr<engine::Board> board_;
  std::unique_ptr<CheckingReceiver> receiver_;
  test::RigPort board_port_, receiver_port_;
  std::unique_ptr<dataplane::PortQueue> board_queue_, receiver_queue_;
  std::atomic<bool> stop_{false};
};

}  // namespace softfeb::bench
