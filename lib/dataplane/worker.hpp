// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "dataplane/board_requests.hpp"
#include "dataplane/idle_wait.hpp"
#include "dataplane/network_relay.hpp"
#include "dataplane/port_queue.hpp"
#include "dataplane/receiver_requests.hpp"
#include "dataplane/rings.hpp"
#include "dataplane/tsc_clock.hpp"
#include "dataplane/worker_stats.hpp"
#include "engine/board_schedule.hpp"
#include "engine/port_options.hpp"
#include "engine/snapshot.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace softfeb::dataplane {

using engine::IdlePolicy;

/// Statistics of all endpoints of a worker. Owned by the control thread, filled by the worker.
struct SnapshotRequest {
  std::vector<engine::EndpointSnapshot> endpoints;  ///< in the order of Worker::endpoints()
  std::optional<fabric::NetworkSnapshot> network;   ///< only for the worker that runs the network
  std::atomic<bool> done{false};
};

/// New congestion control parameters for QPs of one board. Owned by the control thread, which must not touch
/// it until the worker has ended. The worker holds it until its time has come.
struct CongestionChange {
  Time at = 0;               ///< when to apply; in the past: at once
  std::size_t endpoint = 0;  ///< index of the board in Worker::endpoints()
  std::uint32_t first = 0;   ///< QPs first … first + count - 1 of the board
  std::uint32_t count = 0;
  engine::CongestionSettings profile;
  std::atomic<bool> done{false};     ///< applied to all of them
  CongestionChange* next = nullptr;  ///< used by the worker
};

/// A command to a worker. Commands are executed in order between iterations. kBoard and kReceiver are ordered
/// only among their own kind: they use separate rings, up to 16 requests of each are served per iteration,
/// and they do not wait for slow commands. A sleeping worker answers them some tens of microseconds later.
struct Command {
  enum class Kind : std::uint8_t {
    kStart,
    kStopTraffic,
    kFlush,
    kSnapshot,
    kChange,
    kQuit,
    kBoard,
    kReceiver
  };
  Kind kind = Kind::kQuit;
  Time at = 0;                          ///< kStart: when traffic starts
  SnapshotRequest* snapshot = nullptr;  ///< kSnapshot
  CongestionChange* change = nullptr;   ///< kChange
  BoardRequest* board = nullptr;        ///< kBoard
  ReceiverRequest* receiver = nullptr;  ///< kReceiver
};

/// A poll-mode worker: runs its port queues to completion in each iteration. From launch() to join(), only
/// the worker touches its endpoints.
class Worker {
 public:
  /// `updates`: new slopes of `clock` while the worker runs; may be null.
  Worker(unsigned lcore, IdlePolicy idle, const TscClock& clock, const Mailbox<TscClock>* updates = nullptr);

  void add_port_queue(std::unique_ptr<PortQueue> port_queue);
  /// `times` applies only to boards.
  void add_endpoint(engine::Endpoint& endpoint, const engine::BoardTimes& times = {});
  /// Sets the simulated network that this worker runs.
  void set_network(std::unique_ptr<NetworkRelay> network) { network_ = std::move(network); }
  /// Valid to inspect after the worker has ended.
  const std::vector<std::unique_ptr<PortQueue>>& port_queues() const { return port_queues_; }
  const NetworkRelay* network() const { return network_.get(); }
  const std::vector<engine::Endpoint*>& endpoints() const { return endpoints_; }

  /// Starts the loop on its lcore. Throws EnvironmentError when the lcore cannot be started.
  void launch();
  /// Waits for the loop to end after kQuit.
  void join();

  /// Returns false when the ring is full; try again. One thread may send kBoard and kReceiver, and one thread
  /// the other commands.
  bool command(const Command& c);
  /// The idle wait; null unless the policy is kSleep. Producers of the worker's rings must ring its doorbell.
  /// Set it up before launch().
  IdleWait* idle_wait() { return idle_wait_.get(); }

  /// Live. Any thread may read them.
  WorkerStats totals() const;

  unsigned lcore() const { return lcore_; }

 private:
  static int entry(void* self);
  void loop();
  bool may_leave() const;
  void handle_commands(Time now);
  void snapshot_slice(Time now);
  void keep(CongestionChange* change);
  void change_slice(Time now);
  void rest(Time now);
  Time next_event(Time now) const;
  void sleep(Time now, Time length);
  /// Waits for a signal, for at most `length`. The first call only arms the signals, so that the loop checks
  /// its queues once more.
  void wait(Time now, Time length);
  bool told() const;
  /// Accounts for the time since the previous iteration.
  void count_gap(Time last, Time now);
  void publish();

  unsigned lcore_;
  IdlePolicy idle_;
  TscClock clock_;
  const Mailbox<TscClock>* clock_updates_;
  std::uint64_t clock_seen_ = 0;  ///< updates read from clock_updates_
  std::vector<std::unique_ptr<PortQueue>> port_queues_;
  std::unique_ptr<NetworkRelay> network_;
  std::vector<engine::Endpoint*> endpoints_;
  std::vector<engine::Board*> boards_;  ///< those of endpoints_ that are boards
  // Shared with other threads while the worker runs; each member has cache lines of its own.
  SpscRing<Command> commands_{64};
  BoardRequests board_requests_;
  ReceiverRequests receiver_requests_;
  Mailbox<WorkerStats> totals_;
  static_assert(alignof(SpscRing<Command>) == 64 && alignof(BoardRequests) == 64 &&
                alignof(ReceiverRequests) == 64 && alignof(Mailbox<WorkerStats>) == 64);
  std::unique_ptr<IdleWait> idle_wait_;
  Time busy_at_ = 0;    ///< time of the last iteration in which packets arrived or left
  Time sleep_end_ = 0;  ///< planned end of the latest sleep
  LoopCounters loop_;
  engine::BoardSchedule schedule_;
  Time leave_by_ = kNever;
  bool quit_ = false;
  bool running_ = false;
  SnapshotRequest* snapshot_ = nullptr;
  std::size_t snapshot_endpoint_ = 0;
  std::size_t snapshot_qp_ = 0;
  CongestionChange* changes_ = nullptr;  ///< pending changes, sorted by time
  std::uint32_t change_qp_ = 0;          ///< QPs done of the first pending change
};

}  // namespace softfeb::dataplane
