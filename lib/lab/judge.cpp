// SPDX-License-Identifier: BSD-3-Clause
#include "lab/judge.hpp"

#include <algorithm>
#include <limits>

namespace softfeb::lab {

namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

std::optional<double> share(const std::optional<Share>& s) {
  return s ? std::optional<double>(to_double(*s)) : std::nullopt;
}

/// Divides instead of multiplying by 1e-12, so that the result is correctly rounded: 200 ms is 0.2.
double seconds(Time t) { return static_cast<double>(t) / static_cast<double>(kSecond); }

/// Longest convergence time of all changes, in seconds. Infinite if the boards did not converge after a
/// change; empty if there was no change.
std::optional<double> longest_convergence(const std::vector<ChangeStats>& changes) {
  std::optional<double> longest;
  for (const ChangeStats& c : changes) {
    const double s = c.converged ? seconds(*c.converged) : kEndless;
    longest = std::max(longest.value_or(0), s);
  }
  return longest;
}

/// True if the check needs a steady state but the run ended before it reached one. The value of the check
/// is then unknown.
bool too_short(std::string_view name, const RunStats& f) {
  const bool steady = name == "fairness_jain" || name == "fairness_jain_10ms" || name == "port_used";
  return steady && f.metrics.over_100ms().windows == 0;
}

/// 99th percentile of the slowdown; empty if no slowdown is known.
std::optional<double> slowdown_p99(const engine::CompletionTimes::Class& c) {
  if (c.slowdown.count() == 0) return std::nullopt;
  return c.slowdown.percentile(0.99) / engine::CompletionTimes::kPerSlowdown;
}

double count(std::uint64_t n) { return static_cast<double>(n); }

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kHeld:
      return "held";
    case Verdict::kInconclusive:
      return "inconclusive";
    case Verdict::kFailed:
      break;
  }
  return "failed";
}

std::optional<double> value_of(std::string_view name, const RunStats& f) {
  const LabStats& m = f.metrics;
  const Totals& t = f.totals;
  if (name == "fairness_jain") return share(m.over_100ms().jain_min);
  if (name == "fairness_jain_10ms") return share(m.over_10ms().jain_min);
  if (name == "port_used") return share(m.over_100ms().port_used_min);
  if (name == "convergence") return longest_convergence(m.changes);
  if (name == "starvation") {
    Time longest = 0;
    for (const Time s : m.starvation) longest = std::max(longest, s);
    return seconds(longest);
  }
  if (name == "offered") return share(m.offered);
  if (name == "demand_met") return share(m.demand_met);
  if (name == "resolution") return t.resolution == kNever ? kEndless : seconds(t.resolution);
  if (name == "unresolved_qps") return count(t.unresolved_qps);
  if (name == "rate_tracking") return f.rate_tracking;
  if (name == "sawtooth") return f.sawtooth;
  if (name == "dropped") return count(t.dropped);
  if (name == "lost") return count(t.lost);
  if (name == "retransmitted") return count(t.retransmitted);
  if (name == "queue_bytes_max") return count(m.queue_bytes_max);
  if (name == "queue_bytes_mean") return count(m.queue_bytes_mean);
  if (name == "pause_tx") return count(t.pause_tx);
  if (name == "ecn_marked") return count(t.ecn_marked);
  if (name == "cnp_forged") return count(t.cnp_forged);
  if (name == "spread_jain") {
    const Spread* const worst = worst_spread(f.spreads);
    return worst == nullptr ? std::nullopt : share(worst->jain);
  }
  if (name == "bytes_wrong") return count(t.bytes_wrong);
  if (!f.completion_times) return std::nullopt;
  if (name == "slowdown_p99_shorter_half") return slowdown_p99(f.completion_times->shorter_half());
  if (name == "slowdown_p99_10kb") return slowdown_p99(f.completion_times->classes()[0]);
  return std::nullopt;
}

std::vector<CheckResult> judge(const config::LabSettings& lab, const RunStats& figures) {
  std::vector<CheckResult> checks;
  for (const config::LabCheck& asked : lab.checks) {
    const config::LabCheckKind* const kind = config::find_lab_check(asked.name);
    if (kind == nullptr) continue;
    const bool gated = (figures.virtual_time || !kind->timing) && !too_short(asked.name, figures);
    CheckResult c{asked.name, kind->unit, asked.at_least.value_or(kind->at_least),
                  gated,      false,      value_of(asked.name, figures),
                  asked.limit};
    c.held = c.value && (c.at_least ? *c.value >= c.limit : *c.value <= c.limit);
    checks.push_back(std::move(c));
  }
  const auto nothing = [&](const std::string& name, std::uint64_t value) {
    checks.push_back({name, config::LimitUnit::kCount, false, true, value == 0, count(value), 0});
  };
  for (const Balance& b : figures.balances) nothing(b.name, b.difference());
  nothing("memory_untouched", figures.memory_wrong);
  if (figures.rules_never_hit) nothing("fault_rules", *figures.rules_never_hit);
  return checks;
}

Verdict verdict_of(const config::LabSettings& lab, const RunStats& figures,
                   const std::vector<CheckResult>& checks) {
  if (std::any_of(checks.begin(), checks.end(), [](const CheckResult& c) { return c.gated && !c.held; }))
    return Verdict::kFailed;
  if (!figures.virtual_time && figures.preempted_share > lab.stolen_limit) return Verdict::kInconclusive;
  return Verdict::kHeld;
}

}  // namespace softfeb::lab
