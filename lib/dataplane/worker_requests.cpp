// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/board_requests.hpp"

#include "engine/board.hpp"

namespace softfeb::dataplane {

bool BoardRequests::serve(const std::vector<engine::Endpoint*>& endpoints, Time now) {
  bool written = false;
  BoardRequest* r = nullptr;
  for (std::size_t n = 0; n < kInOneTurn && ring_.pop(r); ++n) {
    auto* const board =
        r->endpoint < endpoints.size() ? dynamic_cast<engine::Board*>(endpoints[r->endpoint]) : nullptr;
    if (board != nullptr) {
      for (const board::DataPathAction& action : r->actions) board->apply(action, now);
      board->observe(r->state, now);
      written = written || !r->actions.empty();
    }
    r->done.store(true, std::memory_order_release);
  }
  return written;
}

}  // namespace softfeb::dataplane
