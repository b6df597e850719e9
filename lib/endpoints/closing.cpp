// SPDX-License-Identifier: BSD-3-Clause
#include "endpoints/closing.hpp"

#include <algorithm>

namespace softfeb::endpoints {

void close_maps(const Plans& plans, const std::vector<engine::EndpointSnapshot>& final, Time now,
                Endpoints& endpoints) {
  std::vector<std::uint64_t> most(endpoints.receivers.size(), 0);
  for (const QpPlan& plan : plans.all()) {
    if (!plan.target.receiver) continue;
    const engine::SendQpSnapshot& qp = final[plan.board].send_qps[plan.on_board];
    const std::uint64_t sent =
        plan.config->transport == roce::Transport::kRc ? qp.requester.messages_completed : qp.messages_made;
    const std::size_t r = *plan.target.receiver;
    if (endpoints.receivers[r]->events() != nullptr) continue;
    const engine::TrafficGen* const generator = endpoints.boards[plan.board]->traffic_gen();
    // A traffic generator does not number its messages, so missing messages cannot be marked.
    if (generator != nullptr && plan.on_board < generator->qps()) continue;
    endpoints.receivers[r]->qp(plan.target.receiver_qp).finish(sent);
    most[r] = std::max(most[r], sent);
  }
  for (std::size_t r = 0; r < most.size(); ++r) endpoints.receivers[r]->finish_windows(most[r], now);
  for (const auto& receiver : endpoints.receivers) {
    if (receiver->streams() != nullptr) receiver->streams()->finish(now);
    engine::EventReceiver* const events = receiver->events();
    if (events != nullptr) events->finish(now, endpoints.events.events(*events->config().triggers));
  }
}

std::uint64_t not_sent(const Plans& plans, const std::vector<engine::EndpointSnapshot>& final,
                       const Endpoints& endpoints, std::size_t receiver) {
  const roce::WindowMap* const map = endpoints.receivers[receiver]->windows();
  std::uint64_t sum = 0;
  for (const QpPlan& plan : plans.all()) {
    if (map == nullptr || plan.target.receiver != receiver) continue;
    const std::uint64_t sent = final[plan.board].send_qps[plan.on_board].messages_made;
    sum += map->base() - std::min(map->base(), sent);
  }
  return sum;
}

}  // namespace softfeb::endpoints
