// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/cnp_reaction.hpp"

#include "switchtest/boards.hpp"
#include "switchtest/estimators.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace softfeb::switchtest {

namespace {

constexpr Time kFirstCnp = 5 * kMillisecond, kCnpGap = 50 * kMicrosecond;
constexpr std::uint64_t kCnps = 20;
/// Length of the two windows in which the rate is measured: one before the first CNP, and one during the last
/// CNPs.
constexpr Time kReactionWindow = kCnps * kCnpGap / 2;

Trial reaction_trial(Context& ctx) {
  Trial out = ctx.trial();
  const std::uint16_t a = ctx.roles().a;
  const Time end = kFirstCnp + 2 * kCnps * kCnpGap;
  // The board must not overload port D, because queueing could also change the departures of the board.
  add_board(ctx, out, a, std::min(ctx.rate(a), ctx.rate(ctx.roles().d)), 0, end);
  out.kinds.front().record = true;
  out.answers = Answers{.cnps = false};
  for (std::uint64_t i = 0; i < kCnps; ++i) out.forged_cnps.push_back({0, kFirstCnp + i * kCnpGap});
  out.end = end + 10 * kMillisecond + ctx.rig.settle();
  return out;
}

/// How the departures of the board changed in reaction to CNPs.
struct Reaction {
  /// Time from the departure of the first CNP to the first longer gap; std::nullopt if there was no longer
  /// gap.
  std::optional<Time> after;
  double percent = 0;  ///< rate during the last CNPs, in percent of the rate before the first CNP
};

Reaction reaction_of(const TrialResult& result) {
  std::vector<Time> departures;
  for (const Arrival& a : result.arrivals) departures.push_back(a.departed);
  std::sort(departures.begin(), departures.end());
  const auto in = [&](Time from) {
    const auto first = std::lower_bound(departures.begin(), departures.end(), from);
    return static_cast<double>(std::lower_bound(first, departures.end(), from + kReactionWindow) - first);
  };
  Reaction out;
  const double before = in(kFirstCnp - kReactionWindow);
  if (before != 0) out.percent = 100 * in(kFirstCnp + kCnps * kCnpGap - kReactionWindow) / before;
  if (result.sent_cnps.empty()) return out;
  const Time first = result.sent_cnps.front().at;
  if (const auto at = slows_down(departures, first)) out.after = *at - first;
  return out;
}

}  // namespace

void report_cnps(Context& ctx, const CnpFate& fate, const char* load, const char* without) {
  const std::map<std::string, std::string> labels{{"load", load}};
  const auto sent = static_cast<double>(fate.sent);
  ctx.add({.name = "cnps", .labels = labels, .value = sent, .low = sent, .high = sent});
  Figure delay{.name = "cnp_delay_ns", .labels = labels, .unit = "ns", .method = Method::kMean};
  Figure lost{.name = "cnp_lost", .labels = labels, .unit = "%", .method = Method::kMean};
  if (fate.sent == 0) {
    delay.status = lost.status = Status::kAbsent;
    delay.reason = lost.reason = without;
  } else {
    const Interval share = wilson(fate.lost, fate.sent);
    lost.value = 100 * share.value;
    lost.low = 100 * share.low;
    lost.high = 100 * share.high;
    const auto own = ctx.rig.own_delay();
    if (fate.delays_ns.empty()) {
      delay.status = Status::kAbsent;
      delay.reason = "no CNP arrived";
    } else if (!own) {
      delay.status = Status::kUnresolvable;
      delay.reason = "the rig's own delay is not known";
    } else {
      const Interval spread = median(fate.delays_ns);
      const double rig = static_cast<double>(*own) / kNanosecond;
      delay.value = spread.value - rig;
      delay.low = spread.low - rig;
      delay.high = spread.high - rig;
    }
  }
  ctx.add(delay);
  ctx.add(lost);
}

void measure_cnp_reaction(Context& ctx) {
  const Trial trial = reaction_trial(ctx);
  CnpFate fate;
  std::vector<double> after_us, percent;
  const unsigned runs = ctx.repetitions(10);
  for (unsigned i = 0; i < runs; ++i) {
    const auto result = ctx.run_valid(trial);
    if (!result) return ctx.inconclusive();
    const CnpFate one = match_cnps(result->sent_cnps, result->cnps, trial.end);
    fate.sent += one.sent;
    fate.lost += one.lost;
    fate.delays_ns.insert(fate.delays_ns.end(), one.delays_ns.begin(), one.delays_ns.end());
    const Reaction reaction = reaction_of(*result);
    if (reaction.after) after_us.push_back(static_cast<double>(*reaction.after) / kMicrosecond);
    percent.push_back(reaction.percent);
  }
  report_cnps(ctx, fate, "idle", "D sent no CNPs");
  const Interval rate = median(percent);
  ctx.add({.name = "reaction_rate",
           .value = rate.value,
           .low = rate.low,
           .high = rate.high,
           .unit = "%",
           .method = Method::kMean});
  if (after_us.size() < runs) {
    ctx.add_without_value("reaction_us", Status::kAbsent, "a board did not slow down after CNPs from D");
    return;
  }
  const Interval after = median(after_us);
  ctx.add({.name = "reaction_us",
           .value = after.value,
           .low = after.low,
           .high = after.high,
           .unit = "us",
           .method = Method::kMean});
}

}  // namespace softfeb::switchtest
