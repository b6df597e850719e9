// SPDX-License-Identifier: BSD-3-Clause
#include "lab/flows.hpp"

#include "endpoints/endpoints.hpp"

#include <set>
#include <tuple>

namespace softfeb::lab {

std::vector<bool> own_rates(const config::RunConfig& config, const std::vector<endpoints::QpPlan>& plans) {
  std::set<std::tuple<std::size_t, const config::DcqcnConfig*, roce::IpAddress>> met;
  std::vector<bool> own;
  for (const endpoints::QpPlan& p : plans) {
    const config::DcqcnConfig& d = endpoints::dcqcn_of(config.boards[p.board], *p.config);
    const roce::IpAddress peer =
        d.scope == config::DcqcnConfig::Scope::kIpPair ? p.target.ip : roce::IpAddress{};
    own.push_back(d.scope == config::DcqcnConfig::Scope::kQp || met.insert({p.board, &d, peer}).second);
  }
  return own;
}

std::vector<MetricsConfig::Flow> flows_of(const config::RunConfig& config,
                                          const std::vector<endpoints::QpPlan>& plans) {
  const std::vector<bool> own = own_rates(config, plans);
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
    const bool file = qp.traffic.payload.kind == config::PayloadConfig::Kind::kFile;
    accounts.push_back({flows[i], qp.transport == roce::Transport::kRc, file ? 0 : qp.traffic.message_size});
  }
  return accounts;
}

}  // namespace softfeb::lab
