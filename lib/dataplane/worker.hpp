// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "dataplane/cpu_meter.hpp"
#include "dataplane/idle_wait.hpp"
#include "dataplane/network_relay.hpp"
#include "dataplane/port_queue.hpp"
#include "dataplane/rings.hpp"
#include "dataplane/tsc_clock.hpp"
#include "dataplane/worker_requests.hpp"
#include "dataplane/worker_stats.hpp"
#include "engine/board_schedule.hpp"
#include "engine/port_options.hpp"

#include <cstdint>
#include <memory>
#include <vector>

/// lib/dataplane connects lib/engine to DPDK: ports, mbufs, worker threads, port queues, steering, faults,
/// captures and clocks. It may include fabric, engine and the libraries below them. The packet path makes no
/// allocations and no system calls, and takes no locks. Start with Worker::loop() (worker.cpp), then
/// PortQueue (port_queue.hpp), which receives and transmits, and TxBuilder (tx_builder.hpp), which builds
/// mbufs from frames. worker_requests.hpp defines the commands and requests that other threads may send to a
/// worker.
namespace softfeb::dataplane {

using engine::IdlePolicy;

/// A poll-mode worker: runs its port queues to completion in each iteration. From launch() to join(), only
/// the worker touches its endpoints.
class Worker {
 public:
  /// `updates` provides new slopes of `clock` while the worker runs; may be null.
  Worker(unsigned lcore, IdlePolicy idle, const TscClock& clock, const Mailbox<TscClock>* updates = nullptr);

  void add_port_queue(std::unique_ptr<PortQueue> port_queue);
  void add_board(engine::Board& board, const engine::BoardTimes& times = {});
  void add_receiver(engine::Receiver& receiver) { endpoints_.push_back(&receiver); }
  /// Sets the simulated network that this worker runs.
  void set_network(std::unique_ptr<NetworkRelay> network) { network_ = std::move(network); }
  /// Other threads may inspect the port queues after the worker has ended.
  const std::vector<std::unique_ptr<PortQueue>>& port_queues() const { return port_queues_; }
  const NetworkRelay* network() const { return network_.get(); }
  /// Boards and receivers in the order in which they were added.
  const std::vector<engine::Endpoint*>& endpoints() const { return endpoints_; }

  /// Starts the loop on its lcore. Throws EnvironmentError when the lcore cannot be started.
  void launch();
  /// Waits for the loop to end after Quit.
  void join();

  /// command() and request() return false if the queue is full; the caller may retry. Only one thread may
  /// send commands, and only one may send requests. The requests of each kind are carried out in order,
  /// usually in the next iteration. A sleeping worker takes tens of microseconds longer.
  bool command(const Command& command);
  bool request(BoardRequest& request);
  bool request(ReceiverRequest& request);
  /// The idle wait; null unless the policy is kSleep. Producers of the worker's rings must ring the
  /// doorbell of the idle wait. Add the worker's ports to the idle wait before launch().
  IdleWait* idle_wait() { return idle_wait_.get(); }

  /// Counters of the running worker. Any thread may call this function.
  WorkerStats totals() const;
  /// Samples of how the worker spends its time. One other thread may read them.
  SpscRing<CpuSample>& cpu_samples() { return cpu_.account().samples(); }

  unsigned lcore() const { return lcore_; }
  /// The clock of the running worker. Only objects that the worker calls may use it.
  const TscClock& clock() const { return clock_; }

 private:
  static int entry(void* self);
  void loop();
  bool may_leave() const;
  void handle_commands(Time now);
  void handle(const StartTraffic& command, Time now);
  void handle(const StopTraffic& command, Time now);
  void handle(const FlushRequests& command, Time now);
  void handle(const CloseNetwork& command, Time now);
  void handle(SnapshotRequest* request, Time now);
  void handle(CongestionChange* change, Time now);
  void handle(const Quit& command, Time now);
  void wake_port_queues();
  void snapshot_slice(Time now);
  void change_slice(Time now);
  void idle(Time now);
  Time next_event(Time now) const;
  void sleep(Time now, Time length);
  /// Waits for a signal, for at most `length`. The first call only arms the signals, so that the loop checks
  /// its queues once more.
  void wait(Time now, Time length);
  bool has_requests() const;
  /// Wakes the worker if `queued` is true and the worker sleeps. Returns `queued`.
  bool notify(bool queued);
  /// Accounts for the time from `last`, the beginning of the previous iteration, to `now`. Returns this time
  /// without the time for which the thread was preempted.
  Time count_gap(Time last, Time now);
  void publish();

  unsigned lcore_;
  IdlePolicy idle_policy_;
  TscClock clock_;
  const Mailbox<TscClock>* clock_updates_;
  std::uint64_t clock_seen_ = 0;  ///< number of updates read from clock_updates_
  std::vector<std::unique_ptr<PortQueue>> port_queues_;
  std::unique_ptr<NetworkRelay> network_;
  std::vector<engine::Endpoint*> endpoints_;
  std::vector<engine::Board*> boards_;  ///< the boards among endpoints_
  // Shared with other threads while the worker runs; each member has cache lines of its own.
  SpscRing<Command> commands_{64};
  RequestQueue<BoardRequest> board_requests_;
  RequestQueue<ReceiverRequest> receiver_requests_;
  Mailbox<WorkerStats> totals_;
  static_assert(alignof(SpscRing<Command>) == 64 && alignof(RequestQueue<BoardRequest>) == 64 &&
                alignof(Mailbox<WorkerStats>) == 64);
  std::unique_ptr<IdleWait> idle_wait_;
  Time busy_at_ = 0;    ///< time of the last iteration in which packets arrived or left
  Time sleep_end_ = 0;  ///< planned end of the latest sleep
  LoopCounters loop_;
  Time recent_gap_ = 0;  ///< longest gap since the latest snapshot
  CpuMeter cpu_;
  engine::BoardSchedule schedule_;
  Time leave_by_ = kNever;
  bool quit_ = false;
  bool running_ = false;
  SnapshotRequest* snapshot_ = nullptr;
  std::size_t snapshot_endpoint_ = 0;
  std::size_t snapshot_qp_ = 0;
  CongestionChange* changes_ = nullptr;  ///< pending changes, sorted by time
  std::uint32_t change_qp_ = 0;          ///< number of QPs to which the first pending change has been applied
};

}  // namespace softfeb::dataplane
