// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/memory_class.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::switchtest {

std::vector<std::uint8_t> freezable_dscps(const Context& ctx) {
  std::vector<std::uint8_t> out{ctx.settings.dscp};
  for (const std::uint8_t dscp : dscps_of_other_queues(ctx, ctx.settings.dscp)) out.push_back(dscp);
  std::erase_if(out, [&](std::uint8_t dscp) { return !can_freeze(ctx, dscp); });
  return out;
}

std::optional<Capacity> capacity_of_class(Context& ctx, std::uint8_t dscp, std::uint32_t size) {
  FrameKind frame = ctx.frame(ctx.roles().d, size);
  frame.dscp = dscp;
  auto out = capacity(ctx, ctx.roles().a, frame);
  if (!out) ctx.inconclusive();
  return out;
}

std::vector<std::uint8_t> dscps_of_other_queues(const Context& ctx, std::uint8_t dscp) {
  const auto& groups = ctx.findings.queue_of_dscp;
  const auto& priority = ctx.findings.priority_of_dscp;
  const bool pfc = ctx.findings.obeyed == roce::PauseMode::kPfc;
  std::vector<std::uint8_t> out;
  for (std::uint8_t d = 0; d < priority.size(); ++d) {
    if (!can_freeze(ctx, d)) continue;
    bool first_of_queue = d % kDscpsPerClass == 0 && d != dscp;
    if (groups) {
      first_of_queue = (*groups)[d] == d && (*groups)[d] != (*groups)[dscp];
    } else if (pfc) {
      const auto same = std::find(priority.begin(), priority.begin() + d, priority[d]);
      first_of_queue = priority[d] != priority[dscp] && same == priority.begin() + d;
    }
    if (first_of_queue) out.push_back(d);
  }
  return out;
}

std::optional<std::uint16_t> second_sender(const Context& ctx) {
  const Roles& roles = ctx.roles();
  if (roles.c) return roles.c;
  return roles.b;
}

std::optional<MemoryClass> find_memory_class(Context& ctx) {
  const std::uint32_t size = ctx.large_size(ctx.roles().a, ctx.roles().d);
  std::optional<MemoryClass> out;
  for (const std::uint8_t dscp : freezable_dscps(ctx)) {
    const auto found = capacity_of_class(ctx, dscp, size);
    if (!found) return std::nullopt;
    if (out && found->paused) continue;
    out = {dscp, found->paused, *found, size};
    if (!found->paused || ctx.findings.sends == roce::PauseMode::kPause) break;
  }
  if (!out) ctx.unresolvable("the switch does not obey pause frames of port D, so no queue can be frozen");
  return out;
}

std::optional<FrameCount> headroom_frames(Context& ctx, const FrameKind& frame, std::uint16_t second,
                                          std::uint64_t filling) {
  const auto held = count_held(ctx, {.fills = {{ctx.roles().a, frame, filling}, {second, frame, filling}}});
  if (!held) return std::nullopt;
  return held->back();
}

}  // namespace softfeb::switchtest
