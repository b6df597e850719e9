// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/payload.hpp"
#include "dataplane/arena.hpp"
#include "dataplane/device.hpp"
#include "dataplane/lane.hpp"
#include "dataplane/mempools.hpp"
#include "dataplane/port.hpp"
#include "dataplane/tx_builder.hpp"
#include "engine/board.hpp"
#include "environment.hpp"
#include "event_log.hpp"
#include "loop_time.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include <rte_common.h>

struct rte_eth_rxtx_callback;

namespace softfeb::bench {

/// When a CNP is to come, from the start of the run on, and for which queue pair.
struct CnpOrder {
  Time after = 0;
  std::uint32_t qp = 0;
};

struct RigConfig {
  bool ring = false;  ///< net_ring with a far end on an lcore of its own; otherwise net_null
  std::uint32_t qps = 1;
  std::size_t events = 1'000'000;                                   ///< room in the log
  std::function<void(engine::SendQpConfig&, std::uint32_t)> shape;  ///< of QP i
};

/// A board as softfeb runs it, on its Lane, with everything that leaves stamped as tx_burst is called. Its
/// messages are single packets of 4096 bytes over UC.
class Rig {
 public:
  static constexpr std::uint32_t kPayload = 4096;
  static constexpr std::uint32_t kCounted = 12 + 16 + kPayload;  ///< BTH and RETH with it

  Rig(const Environment& environment, const RigConfig& config);
  ~Rig();
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  /// What this machine does to a loop without any work, on the CPU and beside the far end of run(). Before
  /// it.
  Idling idle(Time duration);
  /// Traffic from now on for so long. CNPs come out of the ring, or, with net_null, with what rx_burst gives.
  void run(Time duration, std::vector<CnpOrder> cnps);

  Time began() const { return began_; }
  Time ended() const { return ended_; }
  const EventLog& log() const { return log_; }
  /// Written by the far end: kCnpArrived.
  const EventLog& far_log() const { return far_log_; }
  const LoopTime& loop() const { return loop_; }
  const dataplane::LaneCounters& counters() const { return lane_->counters(); }

 private:
  class ProbedBoard;

  void make_board(const RigConfig& config);
  void make_ports(const RigConfig& config);
  rte_mbuf* make_cnp(std::uint32_t qp);
  Time now() const;
  void stamp_sent(rte_mbuf* const* packets, std::uint16_t n);
  std::uint16_t stamp_received(rte_mbuf** packets, std::uint16_t n, std::uint16_t room);
  void await_cnp();
  /// Whether one is due when the counter says `tsc`.
  bool next_cnp(std::uint64_t tsc, CnpOrder& out);
  void far_end();
  void start_far_end();
  void stop_far_end();

  const Environment& environment_;
  EventLog log_;
  EventLog far_log_;
  dataplane::Mempools pools_;
  dataplane::Arena arena_;
  std::unique_ptr<board::PayloadSource> payload_;
  std::unique_ptr<engine::Board> board_;
  dataplane::DeviceFactory factory_;
  std::vector<std::unique_ptr<dataplane::Device>> devices_;
  std::vector<std::unique_ptr<dataplane::Port>> ports_;
  std::unique_ptr<dataplane::TxBuilder> builder_;
  std::unique_ptr<dataplane::PortMap> map_;
  std::unique_ptr<dataplane::Lane> lane_;
  rte_mempool* cnp_pool_ = nullptr;
  const rte_eth_rxtx_callback* tx_callback_ = nullptr;
  const rte_eth_rxtx_callback* rx_callback_ = nullptr;
  // What the far end reads in each of its turns; what the board's side writes in its own is in other lines.
  alignas(2 * RTE_CACHE_LINE_SIZE) std::vector<CnpOrder> cnps_;
  std::size_t next_cnp_ = 0;
  std::uint64_t next_cnp_tsc_ = UINT64_MAX;  ///< when it is due
  std::atomic<bool> stop_{false};
  alignas(2 * RTE_CACHE_LINE_SIZE) LoopTime loop_;
  std::uint64_t turn_tsc_ = 0;  ///< as the turn of the loop began
  Time told_ = 0;               ///< of the frames crafted last
  Time began_ = 0;
  Time ended_ = 0;
};

}  // namespace softfeb::bench
