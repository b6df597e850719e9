// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/headroom_trial.hpp"

#include <algorithm>

namespace softfeb::switchtest {

HeadroomTrials::HeadroomTrials(Context& ctx, const PausedClass& paused, std::uint16_t c)
    : ctx_(ctx),
      frame_(ctx.frame(ctx.roles().d, paused.size)),
      c_(c),
      filling_(overfilling(paused.large.frames.high)) {
  frame_.dscp = paused.dscp;
}

std::optional<HeadroomTrials::Held> HeadroomTrials::held(std::uint64_t from_c) {
  const auto counts = count_held(
      ctx_, {.fills = {{c_, frame_, from_c}, {ctx_.roles().a, frame_, filling_}}, .wait = kPauseWait});
  if (!counts) return std::nullopt;
  return Held{counts->front(), counts->back()};
}

Probe HeadroomTrials::first_frame_pauses(std::uint64_t from_c) {
  return pauses_for(ctx_, {{c_, frame_, from_c}}, frame_, 1);
}

std::optional<HeadroomTrials::Obeyed> HeadroomTrials::obeyed_after(Time delay, std::uint64_t frames) {
  const std::uint16_t a = ctx_.roles().a;
  FillPlan plan{.fills = {{c_, frame_, filling_}, {a, frame_, frames}}, .wait = kPauseWait};
  plan.obedience[a] = {.obeys = true, .after = delay};
  const auto result = fill_and_release(ctx_, plan);
  if (!result) return std::nullopt;
  const KindStats& stats = result->trial.kinds[result->kinds.back()];
  Obeyed out{.sent = stats.sent, .lost = stats.missing()};
  const PauseSeen* pause = result->first_pause(a);
  out.understood = pause == nullptr || stops(ctx_, pause->control, frame_.dscp);
  if (ctx_.exact()) return out;
  // If frames leave late, the headroom takes longer to fill, as if port A obeyed earlier. Frames that are
  // already in a transmit queue when the pause takes effect still leave, as if port A obeyed later.
  out.early = out.late = result->trial.time_error + result->trial.late_max;
  if (pause != nullptr) out.late += stats.last_departure - std::min(stats.last_departure, pause->at + delay);
  return out;
}

}  // namespace softfeb::switchtest
