// SPDX-License-Identifier: BSD-3-Clause
#include "lab/flows.hpp"

#include "stats/rate_tracker.hpp"

namespace softfeb::lab {

std::vector<MetricsConfig::Flow> flows_of(const config::RunConfig& config,
                                          const std::vector<endpoints::QpPlan>& plans) {
  const std::vector<bool> own = stats::own_rates(config, plans);
  std::vector<MetricsConfig::Flow> flows;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    MetricsConfig::Flow f;
    f.board = plans[i].board;
    f.qp = plans[i].on_board;
    if (const auto r = plans[i].target.receiver) f.receiver = config.boards.size() + *r;
    f.receiver_qp = plans[i].target.receiver_qp;
    f.own_rate = own[i];
    f.acknowledged = plans[i].config->transport == roce::Transport::kRc;
    flows.push_back(f);
  }
  return flows;
}

std::vector<PayloadAccount> accounts_of(const config::RunConfig& config,
                                        const std::vector<endpoints::QpPlan>& plans) {
  const std::vector<MetricsConfig::Flow> flows = flows_of(config, plans);
  std::vector<PayloadAccount> accounts;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const config::QpConfig& qp = *plans[i].config;
    const bool differ = qp.traffic.payload.kind == board::PayloadKind::kFile || qp.traffic.lengths;
    accounts.push_back(
        {flows[i], qp.transport == roce::Transport::kRc, differ ? 0 : qp.traffic.message_size});
  }
  return accounts;
}

}  // namespace softfeb::lab
