// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/paused_neighbours.hpp"

#include "switchtest/memory_class.hpp"
#include "switchtest/paused_drain.hpp"
#include "switchtest/search.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace softfeb::switchtest {

namespace {

constexpr std::uint16_t kDuration = 1'000;  ///< in quanta: the time that 15 frames of 4174 bytes take

/// Returns the longest time between two frames of any kind that port `port` received after `from`, up to the
/// last frame of kind `kind`. Returns std::nullopt if the port received no frame of this kind after `from`.
std::optional<Time> longest_gap(const TrialResult& result, std::uint16_t port, std::uint16_t kind,
                                Time from) {
  Time longest = 0, gap = 0, previous = from;
  bool any = false;
  for (const Arrival& a : result.arrivals) {
    if (a.port != port || a.at <= from) continue;
    gap = std::max(gap, a.at - previous);
    previous = a.at;
    if (a.kind != kind) continue;
    any = true;
    longest = gap;
  }
  if (!any) return std::nullopt;
  return longest;
}

/// Pauses the frames of `dscp` at port D. Returns kFail if the pause stopped the frames of `other`, too, and
/// kVoid if the trial does not show whether it did.
Probe pause_beside(Context& ctx, std::uint8_t dscp, std::uint8_t other) {
  const std::uint16_t d = ctx.roles().d;
  const std::uint64_t frames = ctx.exact() ? 64 : 256;
  FrameKind paused = ctx.frame(d, ctx.large_size(ctx.roles().a, d)), neighbour = paused;
  paused.dscp = dscp;
  neighbour.dscp = other;
  auto drain = PausedDrain::create(ctx, paused, frames);
  if (!drain) return Probe::kVoid;
  const auto kind = drain->beside(ctx, neighbour, frames);
  if (!kind) return Probe::kVoid;
  drain->pause(ctx, kDuration, 0);
  const auto result = ctx.run_valid(drain->trial(), [&](const TrialResult& r) { return drain->flaw(r); });
  if (!result) return Probe::kVoid;
  const auto from = drain->paused_at(*result);
  if (!from) return Probe::kVoid;
  const Time half = roce::pause_time(kDuration, ctx.rate(d)) / 2;
  const auto gap = longest_gap(*result, d, *kind, *from);
  if (!gap || result->time_error >= half) return Probe::kVoid;
  return *gap < half ? Probe::kPass : Probe::kFail;
}

/// Returns one DSCP of each other PFC class.
std::vector<std::uint8_t> dscps_of_other_classes(const Context& ctx, std::uint8_t dscp) {
  const auto& priority = ctx.findings.priority_of_dscp;
  std::vector<std::uint8_t> out;
  unsigned seen = 1U << *priority[dscp];
  for (std::uint8_t d = 0; d < priority.size(); ++d) {
    if (!priority[d] || (seen >> *priority[d] & 1) != 0) continue;
    seen |= 1U << *priority[d];
    out.push_back(d);
  }
  return out;
}

}  // namespace

void report_neighbours(Context& ctx, std::uint8_t dscp) {
  constexpr const char* kName = "other_classes_disturbed";
  if (ctx.findings.obeyed == roce::PauseMode::kPause) {
    ctx.add_without_value(kName, Status::kAbsent, "802.3x pauses stop all classes");
    return;
  }
  const std::vector<std::uint8_t> others = dscps_of_other_classes(ctx, dscp);
  std::vector<std::uint8_t> disturbed;
  bool unknown = others.empty();
  for (const std::uint8_t other : others) {
    const Probe found = agreeing(ctx, [&] { return pause_beside(ctx, dscp, other); });
    if (found == Probe::kFail) disturbed.push_back(*ctx.findings.priority_of_dscp[other]);
    unknown = unknown || found == Probe::kVoid;
  }
  std::sort(disturbed.begin(), disturbed.end());
  std::string text;
  for (const std::uint8_t priority : disturbed) text += (text.empty() ? "" : ", ") + std::to_string(priority);
  if (!text.empty()) {
    ctx.add({.name = kName, .method = Method::kOrder, .text = text});
  } else if (unknown) {
    const bool failed = !others.empty() && !ctx.exact();
    ctx.add_without_value(kName, failed ? Status::kInconclusive : Status::kUnresolvable,
                          others.empty() ? "pauses stop the frames of one class only"
                                         : "a queue was empty before the pause of another took effect");
  } else {
    ctx.add({.name = kName, .method = Method::kOrder, .text = "none"});
  }
}

}  // namespace softfeb::switchtest
