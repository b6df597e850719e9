// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/known_queues.hpp"

#include "switchtest/tests.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::switchtest {

namespace {

/// Runs the test `dscp` to get its findings, and adds its trials to the report of the current test. Returns
/// the reason why the test `dscp` has no findings, if there is one.
std::string find_queues(Context& ctx) {
  TestReport report{.name = "dscp", .title = ""};
  Context of_dscp(ctx.rig, ctx.settings, ctx.findings, report);
  run_dscp(of_dscp);
  for (TrialRecord& trial : report.trials) ctx.report.trials.push_back(std::move(trial));
  return report.reason;
}

}  // namespace

KnownQueues known_queues(Context& ctx) {
  KnownQueues out;
  if (!ctx.findings.queue_of_dscp) out.reason = "the queues are not known: " + find_queues(ctx);
  if (!ctx.findings.queue_of_dscp) return out;
  const auto& map = *ctx.findings.queue_of_dscp;
  const std::uint8_t own = map[ctx.settings.dscp];
  for (std::uint8_t dscp = 0; dscp < map.size(); ++dscp) {
    const bool represents = map[dscp] == own ? dscp == ctx.settings.dscp : map[dscp] == dscp;
    if (map[dscp] != Findings::kNoQueue && represents) out.dscps.push_back(dscp);
  }
  out.reason = out.dscps.empty() ? "the queues are not known" : "";
  return out;
}

std::optional<std::uint8_t> other_dscp(const Context& ctx, const KnownQueues& queues) {
  const auto& priorities = ctx.findings.priority_of_dscp;
  const auto own = priorities[ctx.settings.dscp];
  for (const std::uint8_t dscp : queues.dscps)
    if (dscp != ctx.settings.dscp && (!own || priorities[dscp] != own)) return dscp;
  return std::nullopt;
}

}  // namespace softfeb::switchtest
