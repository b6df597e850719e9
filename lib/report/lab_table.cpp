// SPDX-License-Identifier: BSD-3-Clause
#include "report/completion_result.hpp"
#include "report/lab_result.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

using config::LimitUnit;

std::string in_words(const std::optional<double>& v, LimitUnit unit) {
  if (!v) return "-";
  if (std::isinf(*v)) return "never";
  switch (unit) {
    case LimitUnit::kShare:
      return fmt::format("{:.4f}", *v);
    case LimitUnit::kTime:
      return *v < 0.1 ? fmt::format("{:.3g} ms", *v * 1e3) : fmt::format("{:.0f} ms", *v * 1e3);
    case LimitUnit::kBytes:
      return fmt::format("{:.1f} KiB", *v / 1024);
    case LimitUnit::kFactor:
      return fmt::format("{:.2f}", *v);
    case LimitUnit::kCount:
      break;
  }
  return fmt::format("{}", static_cast<std::uint64_t>(*v));
}

/// A line of the table: a value in both runs, and its limit if the experiment has one.
struct Line {
  std::string label;
  LimitUnit unit = LimitUnit::kCount;
  std::function<std::optional<double>(const lab::RunStats&)> value;
  std::string check;
};

Line named(const std::string& label, const std::string& name) {
  const LimitUnit unit = config::find_lab_check(name)->unit;
  return {label, unit, [name](const lab::RunStats& f) { return lab::value_of(name, f); }, name};
}

std::string change_in_words(const config::LabConfig& config, const lab::Change& c) {
  std::string what;
  if (!c.starting.empty())
    what += board_names(config, c.starting) + " start" + (c.starting.size() == 1 ? "s" : "");
  if (!c.starting.empty() && !c.stopping.empty()) what += ", ";
  if (!c.stopping.empty())
    what += board_names(config, c.stopping) + " stop" + (c.stopping.size() == 1 ? "s" : "");
  return fmt::format("  after {} at {:g} s", what, to_seconds(c.at));
}

/// Returns the table line for a change of the sending boards. The change is taken from one of the two runs;
/// its counterpart in the other run is the change at the same time.
Line change_line(const config::LabConfig& config, const lab::Change& change) {
  const Time at = change.at;
  return {change_in_words(config, change), LimitUnit::kTime,
          [at](const lab::RunStats& f) -> std::optional<double> {
            for (const lab::ChangeStats& c : f.metrics.changes) {
              if (c.change.at != at) continue;
              return c.converged ? to_seconds(*c.converged) : INFINITY;
            }
            return std::nullopt;
          },
          ""};
}

Line share_line(const std::string& label, std::optional<lab::Share> lab::WindowStats::*member) {
  return {label, LimitUnit::kShare,
          [member](const lab::RunStats& f) -> std::optional<double> {
            const auto s = f.metrics.over_100ms().*member;
            return s ? std::optional<double>(lab::to_double(*s)) : std::nullopt;
          },
          ""};
}

Line spread_line() {
  return {"  busiest path / mean", LimitUnit::kFactor,
          [](const lab::RunStats& f) -> std::optional<double> {
            const lab::Spread* const worst = lab::worst_spread(f.spreads);
            if (worst == nullptr) return std::nullopt;
            return lab::to_double(*worst->max_mean);
          },
          ""};
}

Line rules_line() {
  return {"fault rules never hit", LimitUnit::kCount,
          [](const lab::RunStats& f) -> std::optional<double> {
            if (!f.rules_never_hit) return std::nullopt;
            return static_cast<double>(*f.rules_never_hit);
          },
          "fault_rules"};
}

std::vector<Line> lines_of(const config::LabConfig& config, const lab::RunStats& f) {
  std::vector<Line> lines{named("Jain index over 100 ms, minimum", "fairness_jain"),
                          named("  over 10 ms, minimum", "fairness_jain_10ms"),
                          named("port use over 100 ms, minimum", "port_used"),
                          share_line("  mean", &lab::WindowStats::port_used_mean),
                          named("queue, longest", "queue_bytes_max"),
                          named("  mean", "queue_bytes_mean"),
                          named("time to 10 % of fair shares, longest", "convergence")};
  if (f.metrics.changes.size() > 1 && f.metrics.changes.size() <= 12) {
    for (const lab::ChangeStats& c : f.metrics.changes) lines.push_back(change_line(config, c.change));
  }
  const std::vector<Line> more{named("starvation, longest", "starvation"),
                               named("offered, of what was allowed", "offered"),
                               named("delivered, of demand, minimum", "demand_met"),
                               named("time to resolve all next hops", "resolution"),
                               named("queue pairs without a next hop", "unresolved_qps"),
                               named("rate tracking, largest error", "rate_tracking"),
                               named("sawtooth, largest error", "sawtooth"),
                               named("pause frames", "pause_tx"),
                               named("packets marked", "ecn_marked"),
                               named("CNPs forged", "cnp_forged"),
                               named("packets dropped", "dropped"),
                               named("packets lost", "lost"),
                               named("packets retransmitted", "retransmitted"),
                               named("spread over paths, Jain index", "spread_jain"),
                               spread_line(),
                               named("slowdown, shorter half, p99", "slowdown_p99_shorter_half"),
                               named("  messages up to 10 kB, p99", "slowdown_p99_10kb"),
                               named("bytes wrong", "bytes_wrong"),
                               rules_line()};
  lines.insert(lines.end(), more.begin(), more.end());
  return lines;
}

const lab::CheckResult* find(const LabRun* run, const std::string& name) {
  if (run == nullptr || name.empty()) return nullptr;
  const auto at =
      std::find_if(run->checks.begin(), run->checks.end(), [&](const auto& c) { return c.name == name; });
  return at == run->checks.end() ? nullptr : &*at;
}

/// Describes the state of a check in one run.
std::string state_of(const lab::CheckResult& check) {
  if (check.held) return "held";
  if (check.gated) return "FAILED";
  return check.value ? "not held, does not count" : "no steady state";
}

/// Describes the state of a check in both runs. One word is enough if it held in both.
std::string state_of(const lab::CheckResult* real, const lab::CheckResult* in_virtual) {
  if (real == nullptr) return in_virtual == nullptr ? "" : state_of(*in_virtual);
  if (in_virtual == nullptr || (real->held && in_virtual->held)) return state_of(*real);
  return fmt::format("virtual time: {}; real time: {}", state_of(*in_virtual), state_of(*real));
}

std::string conservation_in_words(const LabRun& run) {
  std::string text;
  for (const lab::Balance& b : run.figures.balances) {
    if (!b.holds())
      text += fmt::format("  {}: {} {}, {} {}\n", b.name, b.left, b.left_is, b.right, b.right_is);
  }
  if (run.figures.memory_wrong != 0)
    text += fmt::format(
        "  memory_untouched: {} bytes of the receivers' memory differ from what was written there\n",
        run.figures.memory_wrong);
  const char* const when = run.figures.virtual_time ? "virtual" : "real";
  return text.empty()
             ? fmt::format("Conservation ({} time): all packets and bytes are accounted for.\n", when)
             : fmt::format("Conservation ({} time) FAILED:\n", when) + text;
}

std::string verdict_in_words(const config::LabConfig& config, const LabRun& run) {
  const bool real = !run.figures.virtual_time;
  std::string text = fmt::format("{} time: {}", real ? "Real" : "Virtual", lab::to_string(run.verdict));
  if (run.verdict == lab::Verdict::kInconclusive)
    text += fmt::format(" (a worker was preempted for {:.1f} % of the time; the limit is {:.1f} %)",
                        100 * run.figures.preempted_share, 100 * config.lab.stolen_limit);
  return text + ".\n";
}

}  // namespace

std::string lab_table(const config::LabConfig& config, const LabRun* real, const LabRun* in_virtual) {
  const LabRun& any = real != nullptr ? *real : *in_virtual;
  std::string t = fmt::format("\n{:<36}", bottleneck_name(config).empty()
                                              ? config.lab.title
                                              : config.lab.title + ", " + bottleneck_name(config));
  if (real != nullptr) t += fmt::format(" {:>12}", "real time");
  if (in_virtual != nullptr) t += fmt::format(" {:>12}", "virtual");
  t += fmt::format(" {:>13}\n", "limit");
  for (const Line& line : lines_of(config, any.figures)) {
    const lab::CheckResult* const a = find(real, line.check);
    const lab::CheckResult* const b = find(in_virtual, line.check);
    const bool there = (real != nullptr && line.value(real->figures)) ||
                       (in_virtual != nullptr && line.value(in_virtual->figures));
    const lab::CheckResult* const check = a != nullptr ? a : b;
    if (!there && check == nullptr) continue;
    t += fmt::format("{:<36}", line.label);
    if (real != nullptr) t += fmt::format(" {:>12}", in_words(line.value(real->figures), line.unit));
    if (in_virtual != nullptr)
      t += fmt::format(" {:>12}", in_words(line.value(in_virtual->figures), line.unit));
    if (check != nullptr)
      t += fmt::format(" {:>13}  {}", (check->at_least ? ">= " : "<= ") + in_words(check->limit, check->unit),
                       state_of(a, b));
    t += '\n';
  }
  for (const LabRun* run : {real, in_virtual}) {
    if (run == nullptr || !run->figures.completion_times) continue;
    t += completion_table(*run->figures.completion_times,
                          run->figures.virtual_time ? "messages, virtual" : "messages, real time");
  }
  t += '\n';
  for (const LabRun* run : {real, in_virtual}) {
    if (run != nullptr) t += conservation_in_words(*run);
  }
  for (const LabRun* run : {real, in_virtual}) {
    if (run != nullptr) t += verdict_in_words(config, *run);
  }
  return t;
}

}  // namespace softfeb::report
