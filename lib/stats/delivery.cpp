// SPDX-License-Identifier: BSD-3-Clause
#include "stats/delivery.hpp"

#include <algorithm>

namespace softfeb::stats {

Delivered& Delivered::operator+=(const Delivered& o) {
  acknowledged += o.acknowledged;
  received += o.received;
  received_at = std::max(received_at, o.received_at);
  known = known && o.known;
  return *this;
}

std::optional<double> delivered_rate(const Delivered& before, const Delivered& now, double interval,
                                     Time origin) {
  if (!now.known) return std::nullopt;
  double rate = interval > 0 ? static_cast<double>(now.acknowledged - before.acknowledged) / interval : 0;
  const Time from = std::max(before.received_at, origin);
  if (now.received_at > from)
    rate += static_cast<double>(now.received - before.received) / to_seconds(now.received_at - from);
  return rate;
}

DeliveryMap::DeliveryMap(const config::RunConfig& config, const std::vector<endpoints::QpPlan>& plans)
    : places_(config.boards.size()) {
  // For each receiver, the number of receiving QPs counted so far. The configured QPs come first, followed by
  // the QPs that the boards' metadata buses can create.
  std::vector<std::size_t> used(config.receivers.size(), 0);
  const std::size_t boards = config.boards.size();
  for (const endpoints::QpPlan& plan : plans) {
    const auto& r = plan.target.receiver;
    if (r) ++used[*r];
    places_[plan.board].push_back(r ? std::optional(Place{boards + *r, plan.target.receiver_qp})
                                    : std::nullopt);
  }
  for (std::size_t b = 0; b < boards; ++b) {
    const auto& control = config.boards[b].control;
    if (!control || !control->responder) continue;
    const std::size_t r = *control->responder;
    for (std::uint32_t i = 0; i < control->qps; ++i) places_[b].push_back(Place{boards + r, used[r]++});
  }
}

std::optional<DeliveryMap::Place> DeliveryMap::place_of(std::size_t board, std::size_t qp) const {
  if (board >= places_.size() || qp >= places_[board].size()) return std::nullopt;
  return places_[board][qp];
}

Delivered DeliveryMap::delivered(std::size_t board, std::size_t qp,
                                 const std::vector<engine::EndpointSnapshot>& endpoints) const {
  const engine::SendQpSnapshot& sent = endpoints[board].send_qps[qp];
  if (!sent.uc) return {.acknowledged = sent.completed_payload_bytes};
  const auto place = place_of(board, qp);
  if (!place) return {.known = false};
  const engine::EndpointSnapshot& receiver = endpoints[place->endpoint];
  return {.received = receiver.receive_qps[place->qp].responder.completed_bytes,
          .received_at = receiver.taken_at};
}

Delivered DeliveryMap::delivered(std::size_t board,
                                 const std::vector<engine::EndpointSnapshot>& endpoints) const {
  Delivered sum;
  for (std::size_t i = 0; i < endpoints[board].send_qps.size(); ++i) sum += delivered(board, i, endpoints);
  return sum;
}

}  // namespace softfeb::stats
