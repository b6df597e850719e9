// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "board/data_path.hpp"
#include "dataplane/rings.hpp"
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

/// Commands and requests that other threads send to a worker. A request is a struct owned by the thread that
/// sends it. That thread must not access it until `done` is set; then the request has taken effect. Commands
/// are executed in order; register accesses and requests for receivers have queues of their own
/// (RequestQueue), so that they do not wait for commands that take many iterations.
namespace softfeb::dataplane {

/// Statistics of all endpoints of a worker, filled by the worker.
struct SnapshotRequest {
  std::vector<engine::EndpointSnapshot> endpoints;  ///< in the order of Worker::endpoints()
  std::optional<fabric::NetworkSnapshot> network;   ///< only for the worker that runs the network
  std::atomic<bool> done{false};
};

/// New congestion control parameters for QPs of one board. The worker keeps it until it is due.
struct CongestionChange {
  Time at = 0;                     ///< time at which to apply it; if it has passed: at once
  engine::Board* board = nullptr;  ///< one of the worker's
  std::uint32_t first = 0;         ///< QPs first … first + count - 1 of the board
  std::uint32_t count = 0;
  engine::CongestionSettings profile;
  std::atomic<bool> done{false};     ///< applied to all these QPs
  CongestionChange* next = nullptr;  ///< used by the worker
};

/// Register writes for a board, and the state to read back after them.
struct BoardRequest {
  engine::Board* board = nullptr;              ///< one of the worker's
  std::vector<board::DataPathAction> actions;  ///< applied in order, at the same time
  board::DataPathState state;                  ///< in: the requested QPs; out: their state
  std::atomic<bool> done{false};
};

/// Creates and removes queue pairs of a receiver.
struct ReceiverRequest {
  engine::Receiver* receiver = nullptr;         ///< one of the worker's
  std::vector<engine::ReceiverAction> actions;  ///< applied in order, in the same iteration
  std::atomic<bool> done{false};
};

struct StartTraffic {
  Time at = 0;
};
struct StopTraffic {};
struct FlushRequests {};
/// Ends the worker's loop.
struct Quit {};
/// A command to a worker, executed between iterations.
using Command =
    std::variant<StartTraffic, StopTraffic, FlushRequests, SnapshotRequest*, CongestionChange*, Quit>;

/// Applies the register writes and reads the state back, at time `now`.
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
  /// Maximum number of requests carried out per iteration, so that packets do not wait. Each request accesses
  /// a few QPs.
  static constexpr std::size_t kPerIteration = 16;

  /// Producer: returns false when the queue is full.
  bool push(Request& request) { return ring_.push(&request); }

  /// Worker: true when no request is pending.
  bool empty() const { return ring_.empty(); }
  /// Worker: carries out up to kPerIteration pending requests in order, at time `now`. Returns true if any of
  /// them had actions, after which endpoints may have packets to send.
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
