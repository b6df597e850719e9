// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/receiver_requests.hpp"

#include "engine/receiver.hpp"

namespace softfeb::dataplane {

void ReceiverRequests::serve(const std::vector<engine::Endpoint*>& endpoints) {
  ReceiverRequest* r = nullptr;
  for (std::size_t n = 0; n < kInOneTurn && ring_.pop(r); ++n) {
    auto* const receiver =
        r->endpoint < endpoints.size() ? dynamic_cast<engine::Receiver*>(endpoints[r->endpoint]) : nullptr;
    if (receiver != nullptr) {
      for (const engine::ReceiverAction& action : r->actions) receiver->apply(action);
    }
    r->done.store(true, std::memory_order_release);
  }
}

}  // namespace softfeb::dataplane
