// SPDX-License-Identifier: BSD-3-Clause
#include "stats/window_loss.hpp"

#include "endpoints/closing.hpp"

#include <algorithm>

namespace softfeb::stats {

WindowLoss window_loss(const endpoints::Plans& plans, const Outcome& o, const endpoints::Endpoints& endpoints,
                       std::size_t receiver) {
  const roce::WindowMap& map = *endpoints.receivers[receiver]->windows();
  WindowLoss loss;
  loss.not_sent = endpoints::not_sent(plans, o.final, endpoints, receiver);
  loss.messages = map.counters().windows() * map.config().streams - loss.not_sent;
  loss.missing = map.counters().missing - std::min(map.counters().missing, loss.not_sent);
  return loss;
}

std::optional<double> window_goodput_gbps(const Outcome& o, std::size_t boards, std::size_t receiver) {
  const engine::EndpointSnapshot& end = o.final[boards + receiver];
  if (!end.windows) return std::nullopt;
  GoodputMark from{.at = o.measured_from};
  if (!o.baseline.empty()) from = GoodputMark::of(o.baseline[boards + receiver]);
  GoodputMark to{.at = o.measured_from, .bytes = end.windows->goodput_bytes};
  for (const engine::ReceiveQpSnapshot& qp : end.receive_qps) to.at = std::max(to.at, qp.last_uc_message);
  if (!o.goodput_from.empty()) from = o.goodput_from[receiver];
  if (!o.goodput_to.empty()) to = o.goodput_to[receiver];
  if (to.at <= from.at) return std::nullopt;
  const std::uint64_t before = from.bytes + from.in_progress;
  const std::uint64_t bytes = to.bytes - std::min(to.bytes, before);
  return static_cast<double>(bytes) * 8e-9 / to_seconds(to.at - from.at);
}

}  // namespace softfeb::stats
