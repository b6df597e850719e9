// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "acknowledger.hpp"
#include "bare_loop.hpp"
#include "dataplane/cpu_meter.hpp"
#include "discarded_stamps.hpp"
#include "dpdk_rig.hpp"
#include "endpoints.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace softfeb::bench {

/// A net_null port with a queue for each worker and each bare loop. Each worker has a board on its
/// PortQueue, as in softfeb run, and a far end that acknowledges its packets.
class CraftRig {
 public:
  /// All references must outlive this object. Fills `payload`. If `sampled` is true, the times of messages
  /// are recorded.
  CraftRig(const Environment& environment, const CraftOptions& options, board::PayloadSource& payload,
           test::DpdkRig& rig, bool sampled = false);
  ~CraftRig();
  CraftRig(const CraftRig&) = delete;
  CraftRig& operator=(const CraftRig&) = delete;

  void start(Time now);
  /// Runs one iteration of a worker's port queue. Called by that worker's thread.
  void turn(unsigned worker, Time now) {
    WorkerLoop& w = workers_[worker];
    dataplane::CpuMeter* const meter = w.cpu->begin();
    w.port_queue->run(now, meter);
    if (meter != nullptr) meter->end(true);
  }
  /// Returns the number of packets that a worker's port accepted.
  std::uint64_t sent(unsigned worker) const { return workers_[worker].port_queue->counters().tx_packets; }
  /// Returns the number of recorded times.
  std::uint64_t stamps() const;
  BareLoop& bare() { return *bare_; }
  BareLoop& best() { return *best_; }
  /// Returns the sum over the boards of all workers.
  BoardTotals totals() const;

 private:
  struct WorkerLoop {
    std::unique_ptr<DiscardedStamps> stamps;  ///< null if the times of messages are not recorded
    std::unique_ptr<engine::Board> board;
    std::unique_ptr<dataplane::PortQueue> port_queue;
    std::unique_ptr<AckSource> acks;
    std::unique_ptr<dataplane::CpuMeter> cpu = std::make_unique<dataplane::CpuMeter>();
  };

  test::RigPort port_;
  std::vector<WorkerLoop> workers_;
  std::unique_ptr<BareLoop> bare_, best_;
};

/// A board whose frames are built and discarded without mbufs and port, to measure the engine alone.
class EngineLoop {
 public:
  /// `payload` must outlive this object. For `memory`, see craft_board().
  EngineLoop(const CraftOptions& options, const board::PayloadSource& payload,
             std::pmr::memory_resource* memory = huge_pages());

  /// Starts traffic.
  void start(Time now) { board_->start(now); }
  /// Runs one iteration: processes the acknowledgements for the frames of the previous iteration, then builds
  /// a burst. Returns the number of frames in the burst.
  std::size_t turn(Time now);
  BoardTotals totals() const { return totals_of(*board_); }
  const engine::Board& board() const { return *board_; }

 private:
  static constexpr std::size_t kBurst = 32;
  struct Owed {
    roce::Qpn qpn;
    roce::Psn psn;
  };

  void acknowledge(Time now);
  void note(const std::uint8_t* frame);

  std::unique_ptr<engine::Board> board_;
  AckWriter acks_;
  std::array<std::uint8_t, AckWriter::kRoom> ack_;
  std::size_t bth_;  ///< offset of the BTH in the board's packets
  std::array<std::array<std::uint8_t, engine::TxFrame::kHeaderRoom>, kBurst> rooms_{};
  std::array<engine::TxFrame, kBurst> frames_{};
  std::array<Owed, kBurst + 1> owed_{};
  std::size_t owed_count_ = 0;
};

/// Memory per active queue pair, in bytes.
struct QpMemory {
  double allocated = 0;     ///< increase of the allocated memory, as reported by the allocator
  std::size_t counted = 0;  ///< as reported by Board::memory_per_qp()
};

/// Measures the memory of a board that has at least 10,000 queue pairs and has sent some traffic. The number
/// of queue pairs makes the memory per board negligible.
QpMemory memory_of_qp(CraftOptions options, const board::PayloadSource& payload);

}  // namespace softfeb::bench
