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

/// Registers of a board that were written, and what they show after. The control thread owns it, and touches
/// it again when it is done.
struct BoardRequest {
  std::size_t endpoint = 0;                    ///< place of the board in Worker::endpoints()
  std::vector<board::DataPathAction> actions;  ///< carried out in order, all at one time
  board::DataPathState state;                  ///< its qps say which are asked for
  std::atomic<bool> done{false};
};

/// Register accesses on their way from the control thread to a worker. A ring of their own: they do not wait
/// for what takes a worker many turns.
class BoardRequests {
 public:
  static constexpr std::size_t kRoom = 1024;
  /// In one turn, so that packets do not wait: each looks at a few QPs.
  static constexpr std::size_t kInOneTurn = 16;

  /// Control thread: false when too many wait.
  bool push(BoardRequest* request) { return ring_.push(request); }

  /// Worker: none waits.
  bool empty() const { return ring_.empty(); }
  /// Worker: carries out those that wait, in order, at `now`. Requests for what is no board are done without
  /// effect. True when something was written: endpoints may have something to send.
  bool serve(const std::vector<engine::Endpoint*>& endpoints, Time now);

 private:
  SpscRing<BoardRequest*> ring_{kRoom};
};

}  // namespace softfeb::dataplane
