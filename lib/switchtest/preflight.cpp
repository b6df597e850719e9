// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/context.hpp"
#include "switchtest/freeze.hpp"
#include "switchtest/tests.hpp"

#include <algorithm>
#include <vector>

namespace softfeb::switchtest {

namespace {

constexpr std::size_t kDscps = 64;
constexpr std::uint32_t kProbeSize = 130;

/// A trial that sends frames of all DSCPs from port A to port D while port D pauses some classes.
struct PauseProbe {
  Trial trial;
  Time released = 0;
};

PauseProbe make_probe(Context& ctx, roce::MacControl::Kind kind, std::uint8_t classes) {
  PauseProbe out{ctx.trial()};
  Source source{.port = ctx.roles().a, .start = ctx.rig.settle(), .count = kDscps, .seed = ctx.seed()};
  for (std::uint8_t dscp = 0; dscp < kDscps; ++dscp) {
    FrameKind frame = ctx.frame(ctx.roles().d, kProbeSize);
    frame.dscp = dscp;
    frame.record = true;
    source.kinds.push_back(static_cast<std::uint16_t>(out.trial.kinds.size()));
    out.trial.kinds.push_back(frame);
  }
  const Time sent = source.start + kDscps * time_on_wire(kProbeSize, ctx.rate(ctx.roles().a));
  out.trial.sources.push_back(std::move(source));
  out.released = sent + 2 * ctx.rig.settle();
  out.trial.freezes.push_back(
      {.port = ctx.roles().d, .until = out.released, .kind = kind, .classes = classes});
  out.trial.end = out.released + 2 * ctx.rig.settle();
  return out;
}

/// The fate of the frame of one DSCP. A lost frame shows nothing about pauses, because the switch may drop
/// some DSCPs.
enum class ProbeFate : std::uint8_t { kLost, kPassed, kHeld };
using ProbeFates = std::array<ProbeFate, kDscps>;

/// Determines for each DSCP whether its frame arrived before the release, arrived after the release, or did
/// not arrive. Returns nullopt if no trial was valid.
std::optional<ProbeFates> fates(Context& ctx, roce::MacControl::Kind kind, std::uint8_t classes) {
  const PauseProbe probe = make_probe(ctx, kind, classes);
  const auto result = ctx.run_valid(probe.trial);
  if (!result) return std::nullopt;
  ProbeFates out{};
  for (const Arrival& a : result->arrivals)
    if (a.port == ctx.roles().d)
      out[probe.trial.kinds[a.kind].dscp] = a.at >= probe.released ? ProbeFate::kHeld : ProbeFate::kPassed;
  return out;
}

bool any(const ProbeFates& fates, ProbeFate fate) {
  return std::find(fates.begin(), fates.end(), fate) != fates.end();
}

/// Finds out which kind of pause frames stops frames to port D and, for PFC, which priority stops which DSCP.
/// Returns false if no trial was valid.
bool find_obedience(Context& ctx) {
  const auto by_pause = fates(ctx, roce::MacControl::Kind::kPause, 0);
  if (!by_pause) return false;
  if (any(*by_pause, ProbeFate::kHeld) && !any(*by_pause, ProbeFate::kPassed)) {
    ctx.findings.obeyed = roce::PauseMode::kPause;
    return true;
  }
  for (std::uint8_t priority = 0; priority < roce::kPriorities; ++priority) {
    const auto by_pfc = fates(ctx, roce::MacControl::Kind::kPfc, static_cast<std::uint8_t>(1U << priority));
    if (!by_pfc) return false;
    for (std::size_t dscp = 0; dscp < kDscps; ++dscp) {
      if ((*by_pfc)[dscp] != ProbeFate::kHeld) continue;
      ctx.findings.obeyed = roce::PauseMode::kPfc;
      ctx.findings.priority_of_dscp[dscp] = priority;
    }
  }
  return true;
}

/// Fills the queue of `dscp` with more and more frames until the switch sends a pause frame or drops frames.
/// Returns false if no trial was valid.
bool find_sent_pauses(Context& ctx, std::uint8_t dscp) {
  constexpr std::uint64_t kFirstTrain = 64, kLongestTrain = 16'384;
  constexpr std::uint32_t kSize = 4174;
  for (std::uint64_t n = kFirstTrain; n <= kLongestTrain; n *= 2) {
    auto freeze = FreezeTrial::create(ctx, ctx.roles().d, dscp);
    if (!freeze) return true;
    FrameKind kind = ctx.frame(ctx.roles().d, std::min(kSize, ctx.rig.ports()[ctx.roles().d].largest_frame));
    kind.dscp = dscp;
    freeze->trial.obedience.assign(ctx.rig.ports().size(), {.obeys = false});
    const std::uint16_t k = freeze->send(ctx, ctx.roles().a, kind, n);
    freeze->release(ctx, n * (kSize + 20));
    const auto result = ctx.run_valid(freeze->trial);
    if (!result) return false;
    if (!result->pauses.empty()) {
      const bool pfc = result->pauses.front().control.kind == roce::MacControl::Kind::kPfc;
      ctx.findings.sends = pfc ? roce::PauseMode::kPfc : roce::PauseMode::kPause;
      return true;
    }
    if (result->kinds[k].missing() != 0) return true;
  }
  return true;
}

const char* word(roce::PauseMode mode) {
  switch (mode) {
    case roce::PauseMode::kPause:
      return "802.3x";
    case roce::PauseMode::kPfc:
      return "PFC";
    case roce::PauseMode::kOff:
      break;
  }
  return "none";
}

/// Returns the DSCPs for which the switch may pause the senders: the DSCP of the settings, and one for each
/// PFC priority. With 802.3x pauses, the priorities are unknown. This function then assumes that the
/// priorities are the class selectors (RFC 2474).
std::vector<std::uint8_t> dscps_to_pause(const Context& ctx) {
  const auto& priority = ctx.findings.priority_of_dscp;
  std::vector<std::uint8_t> out{ctx.settings.dscp};
  for (std::uint8_t dscp = 0; dscp < kDscps; ++dscp) {
    const bool first =
        ctx.findings.obeyed == roce::PauseMode::kPause
            ? dscp % kDscpsPerClass == 0
            : std::find(priority.begin(), priority.begin() + dscp, priority[dscp]) == priority.begin() + dscp;
    if (first && dscp != ctx.settings.dscp) out.push_back(dscp);
  }
  return out;
}

/// Finds out which pause frames the switch sends. Returns false if no trial was valid.
bool find_all_sent_pauses(Context& ctx) {
  for (const std::uint8_t dscp : dscps_to_pause(ctx)) {
    if (!find_sent_pauses(ctx, dscp)) return false;
    if (ctx.findings.sends != roce::PauseMode::kOff) break;
  }
  return true;
}

}  // namespace

void run_preflight(Context& ctx) {
  if (!find_obedience(ctx) || !find_all_sent_pauses(ctx)) {
    ctx.inconclusive();
    return;
  }
  ctx.add({.name = "obeys_pauses", .method = Method::kOrder, .text = word(ctx.findings.obeyed)});
  Figure sends{.name = "sends_pauses", .method = Method::kOrder, .text = word(ctx.findings.sends)};
  if (ctx.findings.obeyed == roce::PauseMode::kOff) {
    sends.status = Status::kUnresolvable;
    sends.reason = "the switch does not obey pause frames, so its queues cannot be overfilled by one sender";
    sends.text.clear();
  }
  ctx.add(sends);
  const auto own = ctx.rig.own_delay();
  if (own) ctx.add({.name = "own_delay_ns", .value = static_cast<double>(*own) / kNanosecond, .unit = "ns"});
}

}  // namespace softfeb::switchtest
