// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/competition_trial.hpp"

#include "base/rng.hpp"
#include "switchtest/seen_pauses.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace softfeb::switchtest {

namespace {

Time warm_up_of(const Context& ctx, const Competition& competition) {
  std::set<std::uint16_t> ports;
  for (const Competitor& c : competition.competitors) ports.insert(c.port);
  return std::max(competition.time / 4, time_to_fill(ctx, competition.rate * ports.size()));
}

/// Returns the time at which a competitor begins to send. With constant gaps, the time is random, because
/// competitors that start at exactly the same time would be a special case.
Time start_of(const Competition& competition, Time gap, std::uint64_t seed) {
  return competition.gaps == GapKind::kConstant ? Rng(seed).below(gap) : 0;
}

/// Adds two sources for a competitor: one for the warm-up, whose frames are not counted, and one for the
/// measurement. Each competitor has sources of its own, so that a pause of one class does not stop the frames
/// of another class.
void add_competitor(Trial& trial, const Competitor& competitor, std::uint16_t kind, Time gap, Time warm_up,
                    const Competition& competition, std::uint64_t seed) {
  const auto uncounted = static_cast<std::uint16_t>(trial.kinds.size());
  trial.kinds.push_back(competitor.kind);
  const Time start = start_of(competition, gap, Rng::mixed(seed, kind, 2));
  // The measurement starts a whole number of gaps after the warm-up starts, so that constant gaps continue
  // without an interruption.
  const Time middle = start + (warm_up + gap - 1) / gap * gap;
  trial.sources.push_back({.port = competitor.port,
                           .kinds = {uncounted},
                           .start = start,
                           .end = middle,
                           .gap = gap,
                           .gap_kind = competition.gaps,
                           .seed = Rng::mixed(seed, kind, 0)});
  trial.sources.push_back({.port = competitor.port,
                           .kinds = {kind},
                           .start = middle,
                           .end = middle + competition.time,
                           .gap = gap,
                           .gap_kind = competition.gaps,
                           .seed = Rng::mixed(seed, kind, 1)});
  trial.end = std::max(trial.end, middle + competition.time);
}

Trial script(const Context& ctx, const Competition& competition, std::uint64_t seed) {
  Trial out = ctx.trial();
  out.all_pauses = false;
  if (!competition.obey) out.obedience.assign(ctx.rig.ports().size(), {.obeys = false});
  std::map<std::uint16_t, std::uint64_t> at_port;
  for (const Competitor& c : competition.competitors) {
    ++at_port[c.port];
    out.kinds.push_back(c.kind);
  }
  const Time warm_up = warm_up_of(ctx, competition);
  for (std::uint16_t kind = 0; kind < competition.competitors.size(); ++kind) {
    const Competitor& c = competition.competitors[kind];
    const Time gap = time_on_wire(c.kind.length, competition.rate) * at_port[c.port];
    add_competitor(out, c, kind, gap, warm_up, competition, seed);
  }
  // Leave enough time for the arrival of all frames that the switch may hold.
  out.end += 100 * kMillisecond + 2 * ctx.rig.settle();
  return out;
}

}  // namespace

Time time_to_fill(const Context& ctx, std::uint64_t offered) {
  constexpr std::uint64_t kLargeMemory = 32 * 1024 * 1024;
  const std::uint64_t drained = ctx.rate(ctx.roles().d);
  return offered > drained ? std::min(kLargeMemory * kSecond / (offered - drained), kSecond) : 0;
}

std::optional<CompetitionResult> compete(Context& ctx, const Competition& competition, std::uint64_t seed) {
  auto result = ctx.run_valid(script(ctx, competition, seed));
  if (result && learn_pauses(ctx, *result)) result = ctx.run_valid(script(ctx, competition, seed));
  if (!result) return std::nullopt;
  CompetitionResult out{std::vector<double>(competition.units), count_pauses(*result)};
  for (std::size_t i = 0; i < competition.competitors.size(); ++i)
    out.frames[competition.competitors[i].unit] += static_cast<double>(result->kinds[i].arrived);
  return out;
}

}  // namespace softfeb::switchtest
