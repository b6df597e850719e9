// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "dataplane/board_requests.hpp"
#include "dataplane/idle_wait.hpp"
#include "dataplane/lane.hpp"
#include "dataplane/network_lane.hpp"
#include "dataplane/receiver_requests.hpp"
#include "dataplane/rings.hpp"
#include "dataplane/tsc_clock.hpp"
#include "engine/board_schedule.hpp"
#include "engine/snapshot.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace softfeb::dataplane {

/// What a worker does in a turn in which nothing arrived and nothing left.
enum class IdlePolicy : std::uint8_t {
  kSpin,   ///< looks again at once
  kPause,  ///< gives the other hardware thread of its core a moment
  /// Sleeps until something is due, 50 µs at most; after some idle time until something is signalled, where
  /// all its ports signal (IdleWait), else 150 µs at most. For machines with fewer CPUs than threads.
  kSleep,
};

/// Figures of all endpoints of a worker. The control thread owns it, the worker fills it.
struct SnapshotRequest {
  std::vector<engine::EndpointSnapshot> endpoints;  ///< as Worker::endpoints()
  std::optional<fabric::NetworkSnapshot> network;   ///< of the worker that carries it
  std::atomic<bool> done{false};
};

/// New congestion control parameters for QPs of one board. The control thread owns it and leaves it alone
/// until the worker has ended; the worker keeps it until its time has come.
struct CongestionChange {
  Time at = 0;               ///< when; in the past: at once
  std::size_t endpoint = 0;  ///< place of the board in Worker::endpoints()
  std::uint32_t first = 0;   ///< its QPs first, first + 1, … first + count - 1
  std::uint32_t count = 0;
  engine::CongestionProfile profile;
  std::atomic<bool> done{false};     ///< all of them have it
  CongestionChange* next = nullptr;  ///< the worker's
};

/// What a worker is told. Carried out between turns, in order; kBoard and kReceiver apart, whose order is
/// among their own kind: they are answered in the next turn (some tens of microseconds later where the worker
/// sleeps), whatever else takes long.
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
  Time at = 0;                          ///< kStart: when traffic begins
  SnapshotRequest* snapshot = nullptr;  ///< kSnapshot
  CongestionChange* change = nullptr;   ///< kChange
  BoardRequest* board = nullptr;        ///< kBoard
  ReceiverRequest* receiver = nullptr;  ///< kReceiver
};

/// How the worker's own time went: a loop that was not run for long says that the machine was busy elsewhere.
struct LoopCounters {
  std::uint64_t turns = 0;
  std::uint64_t busy_turns = 0;
  /// Between the beginnings of two turns; after a sleep, from its end, and only where it counts as stolen.
  Time longest_gap = 0;
  Time ran = 0;     ///< since the loop began
  Time stolen = 0;  ///< sum of the gaps above kStolen
  static constexpr Time kStolen = 1 * kMillisecond;
};

/// A poll-mode worker: runs its lanes to completion, turn after turn. All its endpoints are touched by it
/// alone from launch() to join().
class Worker {
 public:
  /// `updates`: new slopes of `clock` while the worker runs; none by default.
  Worker(unsigned lcore, IdlePolicy idle, const TscClock& clock, const Mailbox<TscClock>* updates = nullptr);

  void add_lane(std::unique_ptr<Lane> lane);
  /// `times`: of a board.
  void add_endpoint(engine::Endpoint& endpoint, const engine::BoardTimes& times = {});
  /// The network of ours, on the worker that carries it.
  void set_network(std::unique_ptr<NetworkLane> network) { network_ = std::move(network); }
  /// To be looked at when the worker has ended.
  const std::vector<std::unique_ptr<Lane>>& lanes() const { return lanes_; }
  const NetworkLane* network() const { return network_.get(); }
  const std::vector<engine::Endpoint*>& endpoints() const { return endpoints_; }

  /// Starts the loop on its lcore. Throws EnvironmentError when the lcore is not there.
  void launch();
  /// Waits for the loop to end after kQuit.
  void join();

  /// False when too many commands wait (try again). One thread gives kBoard and kReceiver, and one the
  /// others.
  bool command(const Command& c);
  /// How the worker waits when it is idle; null with another policy than kSleep. Rings of others must ring
  /// its doorbell. To be completed before launch().
  IdleWait* idle_wait() { return idle_wait_.get(); }

  /// Live totals of its lanes; to be read by any thread.
  struct Totals {
    std::uint64_t unfinished = 0;  ///< boards with messages to send or to complete, or not started yet
    LaneCounters lanes;
    LoopCounters loop;
    NetworkLaneCounters network;  ///< all 0 on workers without
  };
  Totals totals() const;

  unsigned lcore() const { return lcore_; }

 private:
  static int entry(void* self);
  void loop();
  bool may_leave() const;
  void obey(Time now);
  void snapshot_slice(Time now);
  void keep(CongestionChange* change);
  void change_slice(Time now);
  void rest(Time now);
  Time next_event(Time now) const;
  void sleep(Time now, Time length);
  /// Waits for a signal, `length` at most; the first call only arms, so that the loop looks once more.
  void wait(Time now, Time length);
  bool told() const;
  /// Accounts for the time since the turn before.
  void count_gap(Time last, Time now);
  void publish();

  unsigned lcore_;
  IdlePolicy idle_;
  TscClock clock_;
  const Mailbox<TscClock>* clock_updates_;
  std::uint64_t clock_seen_ = 0;  ///< of clock_updates_
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::unique_ptr<NetworkLane> network_;
  std::vector<engine::Endpoint*> endpoints_;
  std::vector<engine::Board*> boards_;  ///< of them
  // What others write or read while the worker runs: each of these has cache lines of its own.
  SpscRing<Command> commands_{64};
  BoardRequests board_requests_;
  ReceiverRequests receiver_requests_;
  Mailbox<Totals> totals_;
  static_assert(alignof(SpscRing<Command>) == 64 && alignof(BoardRequests) == 64 &&
                alignof(ReceiverRequests) == 64 && alignof(Mailbox<Totals>) == 64);
  std::unique_ptr<IdleWait> idle_wait_;
  Time busy_at_ = 0;    ///< the last turn in which anything arrived or left
  Time sleep_end_ = 0;  ///< of the sleep in the turn before
  LoopCounters loop_;
  engine::BoardSchedule schedule_;
  Time leave_by_ = kNever;
  bool quit_ = false;
  bool running_ = false;
  SnapshotRequest* snapshot_ = nullptr;
  std::size_t snapshot_endpoint_ = 0;
  std::size_t snapshot_qp_ = 0;
  CongestionChange* changes_ = nullptr;  ///< to be made, by their times
  std::uint32_t change_qp_ = 0;          ///< of the first of them, how many QPs have it
};

}  // namespace softfeb::dataplane
