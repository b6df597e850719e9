// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "acknowledger.hpp"
#include "board/payload.hpp"
#include "dpdk_rig.hpp"
#include "engine/board.hpp"
#include "environment.hpp"
#include "far_end.hpp"
#include "measurement.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

struct rte_eth_rxtx_callback;

namespace softfeb::bench {

struct PacingRigConfig {
  bool ring = false;  ///< use a net_ring with a far end on its own lcore; otherwise net_null
  std::uint32_t qps = 1;
  /// If RC, requests are acknowledged immediately.
  roce::Transport transport = roce::Transport::kUc;
  std::uint32_t packets = 1;                                        ///< packets per message
  std::size_t events = 1'000'000;                                   ///< capacity of the log
  std::function<void(engine::SendQpConfig&, std::uint32_t)> shape;  ///< modifies the configuration of QP i
};

/// A board on its PortQueue, as in `softfeb run`. Each packet carries 4096 bytes of payload, and its time is
/// recorded when tx_burst is called.
class PacingRig {
 public:
  static constexpr std::uint32_t kPayload = 4096;
  /// Bytes that pacing counts for the first packet of a message: BTH, RETH and payload.
  static constexpr std::uint32_t kCounted = 12 + 16 + kPayload;

  PacingRig(const Environment& environment, const PacingRigConfig& config);
  ~PacingRig();
  PacingRig(const PacingRig&) = delete;
  PacingRig& operator=(const PacingRig&) = delete;

  /// Measures an empty loop on this CPU, while the far end is running. Call before run().
  Idling idle(Time duration);
  /// Sends for `duration`. During this time, the CNPs of `cnps` arrive over the ring or, with net_null, are
  /// returned by rx_burst.
  void run(Time duration, std::vector<CnpOrder> cnps);

  /// Returns the bytes that pacing counts for the packet with this PSN.
  std::uint32_t counted(roce::Psn psn) const {
    return psn % config_.packets == 0 ? kCounted : kCounted - kReth;
  }

  Time began() const { return began_; }
  Time ended() const { return ended_; }
  const EventLog& log() const { return log_; }
  /// Log of the ring's far end, with kCnpArrived events.
  const EventLog& far_log() const { return far_end_->log(); }
  const LoopTime& loop() const { return loop_; }
  const dataplane::PortQueueCounters& counters() const { return port_queue_->counters(); }
  /// Packets that the board retransmitted because the machine or a ring took longer than the timeout.
  std::uint64_t retransmitted() const;

 private:
  class ProbedBoard;
  static constexpr std::uint32_t kReth = 16;

  void make_board();
  void make_ports();
  void add_callbacks();
  Time now() const;
  void stamp_sent(rte_mbuf* const* packets, std::uint16_t n);
  std::uint16_t stamp_received(rte_mbuf** packets, std::uint16_t n, std::uint16_t room);
  const Environment& environment_;
  PacingRigConfig config_;
  EventLog log_;
  test::DpdkRig rig_;
  std::unique_ptr<board::PayloadSource> payload_;
  std::unique_ptr<engine::Board> board_;
  std::vector<std::unique_ptr<test::RigPort>> ports_;
  std::unique_ptr<dataplane::PortQueue> port_queue_;
  std::optional<FarEnd> far_end_;  ///< only with net_ring
  std::optional<CnpSource> cnps_;  ///< only with net_null
  std::optional<AckSource> acks_;  ///< only with net_null and RC
  const rte_eth_rxtx_callback* tx_callback_ = nullptr;
  const rte_eth_rxtx_callback* rx_callback_ = nullptr;
  LoopTime loop_;
  std::uint64_t turn_tsc_ = 0;  ///< start of the loop iteration
  Time out_ = 0;                ///< time when rx_burst last returned packets
  Time told_ = 0;               ///< time that was passed to the board for the latest frames
  Time began_ = 0;
  Time ended_ = 0;
};

}  // namespace softfeb::bench
