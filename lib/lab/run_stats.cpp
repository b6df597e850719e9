// SPDX-License-Identifier: BSD-3-Clause
#include "lab/run_stats.hpp"

#include "endpoints/memory.hpp"
#include "lab/flows.hpp"

#include <algorithm>

namespace softfeb::lab {

std::uint64_t memory_wrong(const config::RunConfig& config, const endpoints::Plans& plans,
                           const std::vector<engine::EndpointSnapshot>& last,
                           const endpoints::Endpoints& endpoints, const endpoints::Payloads& payloads) {
  std::uint64_t wrong = 0;
  for (const endpoints::QpPlan& plan : plans.all()) {
    if (!plan.target.receiver) continue;
    const std::size_t r = *plan.target.receiver;
    // Skip contiguous windows: each window contains the messages of all queue pairs.
    if (endpoints::in_window_layout(config.receivers[r])) continue;
    // Skip event data: the event builder has checked each message.
    if (config.receivers[r].events) continue;
    // Skip transfers: all queue pairs of a group write to the same memory.
    if (plan.config->traffic.transfer) continue;
    const std::uint64_t size = config.receivers[r].memory;
    const std::span<const std::uint8_t> memory(endpoints.memories[r]->data() + plan.target.receiver_qp * size,
                                               size);
    const roce::RequesterCounters& sent = last[plan.board].send_qps[plan.on_board].requester;
    const auto& generator = config.boards[plan.board].traffic_gen;
    // The messages of a generator differ in length, so only the memory that no message reached is checked.
    const bool generated = generator && generator->makes_qps();
    if (plan.config->transport == roce::Transport::kRc && !generated && sent.messages_failed == 0) {
      const board::PayloadSource& source = payloads.of(*plan.config);
      wrong += endpoints::bytes_out_of_place({memory, &source, source.plan(), plan.config->pmtu,
                                              endpoints::slots_of(*plan.config, plan.target),
                                              sent.messages_completed, endpoints::lengths_of(config, plan)});
    } else {
      const std::uint64_t end = endpoints.receivers[r]->written_end(plan.target.receiver_qp);
      const std::uint64_t reached = end <= plan.target.address ? 0 : end - plan.target.address;
      wrong += endpoints::bytes_not_zero(memory.subspan(std::min(reached, size)));
    }
  }
  return wrong;
}

std::shared_ptr<const engine::CompletionTimes> completion_times(const endpoints::Endpoints& endpoints) {
  std::shared_ptr<engine::CompletionTimes> sum;
  for (const endpoints::BoardMessages& board : endpoints.messages) {
    if (!board.times) continue;
    if (!sum) sum = std::make_shared<engine::CompletionTimes>();
    *sum += *board.times;
  }
  return sum;
}

void add_fault_rules(RunStats& stats, const config::LabConfig& config, const stats::Outcome& outcome) {
  std::vector<RuleResult> all = port_rules(config.run, outcome);
  if (outcome.network) stats.link_rules = link_rules(config, *outcome.network);
  for (const LinkRuleResults& link : stats.link_rules)
    all.insert(all.end(), link.rules.begin(), link.rules.end());
  if (all.empty()) return;
  stats.rule_messages = never_hit(all);
  stats.rules_never_hit = stats.rule_messages.size();
}

RunStats run_stats(const config::LabConfig& config, const endpoints::Plans& plans,
                   const endpoints::Endpoints& endpoints, const endpoints::Payloads& payloads,
                   const Metrics& metrics, const stats::Sample& last, const Edge& edge) {
  RunStats f;
  f.metrics = metrics.figures();
  f.totals = totals_of(last, config.run.boards.size());
  Stations stations;
  for (const auto& station : config.station_of) stations.push_back(station ? 1 : 0);
  f.balances = packet_balances(last, stations, edge);
  f.balances.push_back(payload_balance(last, accounts_of(config.run, plans.all())));
  f.memory_wrong = memory_wrong(config.run, plans, *last.endpoints, endpoints, payloads);
  f.completion_times = completion_times(endpoints);
  if (last.network != nullptr) f.spreads = spreads_of(*last.network);
  return f;
}

}  // namespace softfeb::lab
