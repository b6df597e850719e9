// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/worker_requests.hpp"

namespace softfeb::dataplane {

void carry_out(BoardRequest& request, Time now) {
  for (const board::DataPathAction& action : request.actions) request.board->apply(action, now);
  request.board->observe(request.state, now);
}

void carry_out(ReceiverRequest& request, Time /*now*/) {
  for (const engine::ReceiverAction& action : request.actions) request.receiver->apply(action);
}

}  // namespace softfeb::dataplane
