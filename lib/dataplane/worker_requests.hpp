// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "board/data_path.hpp"
#include "dataplane/rings.hpp"
#include "dataplane/worker_stats.hpp"
#include "engine/board.hpp"
#include "engine/receiver.hpp"
#include "engine/snapshot.hpp"
#include "fabric/snapshot.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

/// Commands and requests that other threads send to a worker. The thread that sends a request owns the
/// request's struct, but must not access it until the worker has set `done`. The request has then taken
/// effect. Commands are executed in order. Register accesses (BoardRequest) and requests for receivers
/// (ReceiverRequest) have queues of their own (RequestQueue), so that they do not wait for commands that
/// take many iterations.
namespace softfeb::dataplane {

/// Requests the statistics of all endpoints of a worker. The sender provides snapshots of the right sizes,
/// which the worker fills in.
struct SnapshotRequest {
  std::vector<engine::EndpointSnapshot> endpoints;  ///< in the order of Worker::endpoints()
  std::optional<fabric::NetworkSnapshot> network;   ///< only for the worker that runs the network
  NetworkRelayCounters relay;                       ///< all 0 if the worker runs no network
  Time longest_gap = 0;                             ///< LoopCounters::longest_gap since the previous snapshot
  std::atomic<bool> done{false};
};

/// Requests new congestion control parameters for QPs of one board. The worker keeps the request until time
/// `at`.
struct CongestionChange {
  Time at = 0;                     ///< time at which to apply the parameters; a time in the past means now
  engine::Board* board = nullptr;  ///< one of the worker's boards
  std::uint32_t first = 0;         ///< the parameters are for QPs first … first + count - 1 of the board
  std::uint32_t count = 0;
  engine::CongestionSettings profile;
  std::atomic<bool> done{false};     ///< set when the parameters have been applied to all these QPs
  CongestionChange* next = nullptr;  ///< next change in the worker's list
};

/// Requests register writes for a board, and a snapshot of the board's state after these writes.
struct BoardRequest {
  engine::Board* board = nullptr;              ///< one of the worker's boards
  std::vector<board::DataPathAction> actions;  ///< applied in this order, all with the same time stamp
  board::DataPathState state;                  ///< in: the QPs whose state is requested; out: the state
  std::atomic<bool> done{false};
};

/// Requests the creation and removal of queue pairs of a receiver.
struct ReceiverRequest {
  engine::Receiver* receiver = nullptr;         ///< one of the worker's receivers
  std::vector<engine::ReceiverAction> actions;  ///< applied in order, in the same iteration
  std::atomic<bool> done{false};
};

struct StartTraffic {
  Time at = 0;
};
struct StopTraffic {};
struct FlushRequests {};
/// Makes the network stop receiving from the ports outside it.
struct CloseNetwork {};
/// Ends the worker's loop.
struct Quit {};
/// A command to a worker, executed after the port queues of an iteration have run.
using Command = std::variant<StartTraffic, StopTraffic, FlushRequests, CloseNetwork, SnapshotRequest*,
                             CongestionChange*, Quit>;

/// Applies the register writes of `request` at time `now`, then stores the resulting state in it.
inline void carry_out(BoardRequest& request, Time now) {
  for (const board::DataPathAction& action : request.actions) request.board->apply(action, now);
  request.board->observe(request.state, now);
}
inline void carry_out(ReceiverRequest& request, Time /*now*/) {
  for (const engine::ReceiverAction& action : request.actions) request.receiver->apply(action);
}

/// Queue of requests of one kind from one thread to a worker.
template <typename Request>
class RequestQueue {
 public:
  static constexpr std::size_t kCapacity = 1024;
  /// Maximum number of requests carried out per iteration. Because each request accesses only a few
  /// QPs, this limit keeps the delay of packets short.
  static constexpr std::size_t kPerIteration = 16;

  /// For the producer. Returns false when the queue is full.
  bool push(Request& request) { return ring_.push(&request); }

  /// For the worker. Returns true when no request is pending.
  bool empty() const { return ring_.empty(); }
  /// For the worker. Carries out up to kPerIteration pending requests in order, at time `now`. Returns true
  /// if at least one request contained actions, because endpoints may then have packets to send.
  bool serve(Time now) {
    bool acted = false;
    Request* request = nullptr;
    for (std::size_t n = 0; n < kPerIteration && ring_.pop(request); ++n) {
      carry_out(*request, now);
      acted = acted || !request->actions.empty();
      request->done.store(true, std::memory_order_release);
    }
    return acted;
  }

 private:
  SpscRing<Request*> ring_{kCapacity};
};

}  // namespace softfeb::dataplane
