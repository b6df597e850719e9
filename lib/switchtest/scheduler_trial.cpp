// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/scheduler_trial.hpp"

#include <algorithm>

namespace softfeb::switchtest {

namespace {

std::vector<Departure> departures_of(const TrialResult& result) {
  std::vector<Time> least(result.kinds.size(), kNever);
  for (const Arrival& a : result.arrivals) least[a.kind] = std::min(least[a.kind], a.at - a.departed);
  std::vector<Departure> out;
  for (const Arrival& a : result.arrivals) out.push_back({a.kind, a.at, a.at - a.departed - least[a.kind]});
  return out;
}

/// Returns the number of bytes that all frames together occupy on the wire.
std::uint64_t wire_bytes_of(const std::vector<QueueFill>& fills) {
  constexpr std::uint64_t kPreambleAndGap = 20;
  std::uint64_t out = 0;
  for (const QueueFill& fill : fills) out += fill.frames * (fill.size + kPreambleAndGap);
  return out;
}

}  // namespace

FrameKind SchedulerTrials::kind_of(const QueueFill& fill) const {
  FrameKind out = ctx_.frame(ctx_.roles().d, fill.size);
  out.dscp = fill.dscp;
  out.record = true;
  return out;
}

/// Returns a trial without frames in which port D pauses all these queues, or std::nullopt if port D cannot
/// pause one of them.
std::optional<FreezeTrial> SchedulerTrials::frozen(const std::vector<QueueFill>& fills) {
  auto out = FreezeTrial::create(ctx_, ctx_.roles().d, fills.front().dscp);
  for (const QueueFill& fill : fills)
    if (out && !out->also(ctx_, ctx_.roles().d, fill.dscp)) return std::nullopt;
  return out;
}

bool SchedulerTrials::can_freeze(const std::vector<QueueFill>& fills) { return frozen(fills).has_value(); }

/// Records whether the rig failed, and the largest error of the times in `result`.
std::optional<TrialResult> SchedulerTrials::take(std::optional<TrialResult> result) {
  rig_failed_ = !result;
  if (!result) failure_ = ctx_.last_void_reason();
  time_error_ = result ? result->time_error : 0;
  return result;
}

/// Port A sends the frames of all queues in turn, so that each queue gets its share if the switch has too
/// little memory for all frames.
std::optional<std::vector<Departure>> SchedulerTrials::drain_frozen(const std::vector<QueueFill>& fills) {
  FreezeTrial freeze = *frozen(fills);
  freeze.trial.obedience.assign(ctx_.rig.ports().size(), {.obeys = false});
  std::uint64_t least = UINT64_MAX;
  for (const QueueFill& fill : fills) least = std::min(least, fill.frames);
  Source source{.port = ctx_.roles().a, .start = freeze.time()};
  for (const QueueFill& fill : fills) {
    const auto kind = static_cast<std::uint16_t>(freeze.trial.kinds.size());
    freeze.trial.kinds.push_back(kind_of(fill));
    source.kinds.insert(source.kinds.end(), (fill.frames + least / 2) / least, kind);
  }
  source.count = least * source.kinds.size();
  freeze.trial.sources.push_back(source);
  const std::uint64_t bytes = wire_bytes_of(fills);
  freeze.wait(2 * bytes * kSecond / ctx_.rate(source.port) + ctx_.rig.settle());
  // Allow more time than at line rate, because a queue with a rate limit takes longer to drain.
  constexpr std::uint64_t kSlowest = 20;
  freeze.release(ctx_, kSlowest * bytes);
  const auto result = take(ctx_.run_valid(freeze.trial, [&](const TrialResult& seen) {
    return freeze.lapsed(seen) ? "frames left the switch although port D had paused it" : "";
  }));
  if (!result) return std::nullopt;
  return departures_of(*result);
}

Trial SchedulerTrials::overload(const std::vector<QueueFill>& fills) const {
  Trial out = ctx_.trial();
  out.obedience.assign(ctx_.rig.ports().size(), {.obeys = false});
  const Time start = ctx_.rig.settle();
  for (const QueueFill& fill : fills) {
    const auto kind = static_cast<std::uint16_t>(out.kinds.size());
    out.kinds.push_back(kind_of(fill));
    const std::uint16_t from = kind == 0 ? ctx_.roles().a : *ctx_.roles().b;
    out.sources.push_back({.port = from, .kinds = {kind}, .start = start, .count = fill.frames});
  }
  if (fills.size() == 1)
    out.sources.push_back(
        {.port = *ctx_.roles().b, .kinds = {0}, .start = start, .count = fills.front().frames});
  constexpr std::uint64_t kSlowest = 20;
  out.end =
      start + kSlowest * wire_bytes_of(fills) * kSecond / ctx_.rate(ctx_.roles().d) + 2 * ctx_.rig.settle();
  return out;
}

/// Halves the number of frames until no frame is lost, because a loss could leave a queue empty.
std::optional<std::vector<Departure>> SchedulerTrials::drain_overloaded(std::vector<QueueFill> fills) {
  constexpr std::uint64_t kFewest = 16;
  for (;;) {
    const auto result = take(ctx_.run_valid(overload(fills)));
    if (!result) return std::nullopt;
    const bool lost = std::any_of(result->kinds.begin(), result->kinds.end(),
                                  [](const KindStats& k) { return k.missing() != 0; });
    if (!lost) return departures_of(*result);
    for (QueueFill& fill : fills) fill.frames /= 2;
    if (std::any_of(fills.begin(), fills.end(), [](const QueueFill& f) { return f.frames < kFewest; })) break;
  }
  failure_ = "the switch loses frames although only a few of them wait";
  return std::nullopt;
}

std::optional<std::vector<Departure>> SchedulerTrials::drain(const std::vector<QueueFill>& fills) {
  failure_.clear();
  if (can_freeze(fills)) return drain_frozen(fills);
  const Roles& roles = ctx_.roles();
  const std::uint64_t needed = ctx_.rate(roles.d);
  if (fills.size() <= 2 && roles.b && ctx_.rate(roles.a) >= needed && ctx_.rate(*roles.b) >= needed)
    return drain_overloaded(fills);
  failure_ = "no pause of port D stops these queues, and A and B are not each as fast as D";
  return std::nullopt;
}

}  // namespace softfeb::switchtest
