// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/pause_search.hpp"

#include "switchtest/memory_class.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::switchtest {

namespace {

/// Returns the index of this DSCP's quanta in a pause frame. Returns std::nullopt if the frame does not
/// concern this DSCP.
std::optional<std::size_t> position_of(const Context& ctx, const roce::MacControl& control,
                                       std::uint8_t dscp) {
  if (control.kind == roce::MacControl::Kind::kPause) return 0;
  const std::size_t priority = ctx.trial().priority_of_dscp[dscp];
  if ((control.enabled >> priority & 1) == 0) return std::nullopt;
  return priority;
}

}  // namespace

bool stops(const Context& ctx, const roce::MacControl& control, std::uint8_t dscp) {
  return quanta_for(ctx, control, dscp) != 0;
}

bool resumes(const Context& ctx, const roce::MacControl& control, std::uint8_t dscp) {
  const auto position = position_of(ctx, control, dscp);
  return position && control.quanta[*position] == 0;
}

std::uint16_t quanta_for(const Context& ctx, const roce::MacControl& control, std::uint8_t dscp) {
  const auto position = position_of(ctx, control, dscp);
  return position ? control.quanta[*position] : std::uint16_t{0};
}

std::optional<PausedClass> find_paused_class(Context& ctx) {
  const std::vector<std::uint8_t> dscps = freezable_dscps(ctx);
  if (dscps.empty()) {
    ctx.unresolvable("the switch does not obey pause frames of port D, so no queue can be frozen");
    return std::nullopt;
  }
  if (ctx.findings.sends == roce::PauseMode::kOff) return std::nullopt;
  const std::uint32_t size = ctx.large_size(ctx.roles().a, ctx.roles().d);
  for (const std::uint8_t dscp : dscps) {
    const auto found = capacity_of_class(ctx, dscp, size);
    if (!found) return std::nullopt;
    if (found->paused) return PausedClass{dscp, size, *found};
  }
  return std::nullopt;
}

Probe pauses_for(Context& ctx, const std::vector<Fill>& before, const FrameKind& frame,
                 std::uint64_t frames) {
  const std::uint16_t a = ctx.roles().a;
  FillPlan plan{.fills = before};
  plan.fills.push_back({a, frame, frames});
  plan.wait = kPauseWait;
  return agreeing(ctx, [&] {
    const auto result = fill_and_release(ctx, plan);
    if (!result) return Probe::kVoid;
    return result->first_pause(a) == nullptr ? Probe::kPass : Probe::kFail;
  });
}

Bracket frames_until_pause(Context& ctx, const std::vector<Fill>& before, const FrameKind& frame,
                           std::uint64_t limit) {
  constexpr std::uint64_t kFirst = 64;
  return double_and_bisect(std::min(kFirst, limit), limit,
                           [&](std::uint64_t n) { return pauses_for(ctx, before, frame, n); });
}

}  // namespace softfeb::switchtest
