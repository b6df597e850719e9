// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/storm_trial.hpp"

#include <algorithm>

namespace softfeb::switchtest {

namespace {

constexpr std::uint32_t kStormProbe = 78;  // with FCS
/// Number of waiting frames. It exceeds the number of frames that move from the queue to the transmitter in
/// spite of a pause.
constexpr std::uint64_t kWaiting = 128;

}  // namespace

bool StormTrials::can_pause() const {
  if (ctx_.findings.obeyed == roce::PauseMode::kOff) return false;
  return ctx_.findings.obeyed == roce::PauseMode::kPause ||
         ctx_.findings.priority_of_dscp[ctx_.settings.dscp].has_value();
}

Freeze StormTrials::freeze(Time from, Time until) const {
  Freeze out{.port = ctx_.roles().d, .from = from, .until = until};
  if (ctx_.findings.obeyed == roce::PauseMode::kPause) return out;
  out.kind = roce::MacControl::Kind::kPfc;
  out.classes = static_cast<std::uint8_t>(1U << *ctx_.findings.priority_of_dscp[ctx_.settings.dscp]);
  return out;
}

FrameKind StormTrials::frame() const {
  FrameKind out = ctx_.frame(ctx_.roles().d, kStormProbe);
  out.record = true;
  return out;
}

/// Returns a trial with the pause and the waiting frames (kind 0). The pause ends when the time `pause` has
/// passed since the first of these frames departed from port A.
Trial StormTrials::script(Time pause) const {
  Trial out = ctx_.trial();
  out.all_pauses = false;
  const Time start = ctx_.rig.settle();
  out.kinds.push_back(frame());
  out.sources.push_back({.port = ctx_.roles().a, .kinds = {0}, .start = start, .count = kWaiting});
  out.freezes.push_back(freeze(0, start + pause));
  out.end = start + pause + 2 * ctx_.rig.settle();
  return out;
}

std::optional<StormOutcome> StormTrials::run(Time pause, Time watch) {
  Trial trial = script(pause);
  const Time released = trial.freezes.front().until;
  if (watch != 0) {
    trial.kinds.push_back(frame());
    trial.sources.push_back({.port = ctx_.roles().a,
                             .kinds = {1},
                             .start = released,
                             .count = watch / kWatchGap + 1,
                             .gap = kWatchGap});
    trial.end += watch;
  }
  trial.end += rest_;
  const auto result = ctx_.run_valid(trial);
  if (!result) return std::nullopt;
  // A few frames may be lost for other reasons, so the frames count as dropped only if most of them are lost.
  StormOutcome out{.dropped = 2 * result->kinds[0].missing() > kWaiting};
  // The waiting time does not include the delay of a frame that finds an empty queue, so subtract the delay
  // of such a frame.
  Time least = kNever;
  for (const Arrival& a : result->arrivals)
    if (a.kind == 1) least = std::min(least, a.at - a.departed);
  for (const Arrival& a : result->arrivals) {
    if (a.kind == 0 && a.at < released && !out.leaving)
      out.leaving = a.at - a.departed - (least == kNever ? 0 : std::min(least, a.at - a.departed));
    if (a.kind == 1 && !out.restored) out.restored = a.departed - released;
  }
  return out;
}

std::optional<bool> StormTrials::ignores_next_pause(Time pause, Time gap) {
  Trial trial = script(pause);
  const Time from = trial.freezes.front().until + gap, until = from + second_pause();
  trial.freezes.push_back(freeze(from, until));
  trial.kinds.push_back(frame());
  trial.sources.push_back(
      {.port = ctx_.roles().a, .kinds = {1}, .start = from + ctx_.rig.settle(), .count = 1});
  trial.end = until + 2 * ctx_.rig.settle() + rest_;
  const auto result = ctx_.run_valid(trial);
  if (!result) return std::nullopt;
  return std::any_of(result->arrivals.begin(), result->arrivals.end(),
                     [&](const Arrival& a) { return a.kind == 1 && a.at < until; });
}

}  // namespace softfeb::switchtest
