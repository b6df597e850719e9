// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "board/data_path.hpp"
#include "dataplane/rings.hpp"
#include "engine/endpoint.hpp"

#include <atomic>
#include <cstddef>
#include <vector>

namespace softfeb::dataplane {

/// Register writes for a board, and the state to read back after them. Owned by the control thread, which
/// must not touch it until `done`.
struct BoardRequest {
  std::size_t endpoint = 0;                    ///< index of the board in Worker::endpoints()
  std::vector<board::DataPathAction> actions;  ///< applied in order, at the same time
  board::DataPathState state;                  ///< in: the QPs asked for; out: their state
  std::atomic<bool> done{false};
};

/// Queue of register accesses from the control thread to a worker. Separate from the command ring, so that
/// register accesses do not wait for commands that take many iterations.
class BoardRequests {
 public:
  static constexpr std::size_t kRoom = 1024;
  /// Requests served per iteration, at most, so that packets do not wait. Each request looks at a few QPs.
  static constexpr std::size_t kInOneTurn = 16;

  /// Control thread: returns false when the ring is full.
  bool push(BoardRequest* request) { return ring_.push(request); }

  /// Worker: true when no request is pending.
  bool empty() const { return ring_.empty(); }
  /// Worker: serves up to kInOneTurn pending requests in order, at time `now`. A request whose endpoint is
  /// not a board completes without effect. Returns true when registers were written, after which endpoints
  /// may have packets to send.
  bool serve(const std::vector<engine::Endpoint*>& endpoints, Time now);

 private:
  SpscRing<BoardRequest*> ring_{kRoom};
};

}  // namespace softfeb::dataplane
