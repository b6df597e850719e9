// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/fill.hpp"

#include "switchtest/frame_writer.hpp"
#include "switchtest/freeze.hpp"

#include <string>
#include <utility>

namespace softfeb::switchtest {

namespace {

/// Number of trials that count_held() runs.
constexpr unsigned kCountTrials = 5;

struct FillScript {
  FreezeTrial freeze;
  FillResult result;
};

/// Appends the sources of `plan.overload`, whose times are relative to the current end of the script.
void append_overload(Context& ctx, const FillPlan& plan, FillScript& script) {
  Trial& trial = script.freeze.trial;
  script.result.overload_kind = static_cast<std::uint16_t>(trial.kinds.size());
  trial.kinds.insert(trial.kinds.end(), plan.overload_kinds.begin(), plan.overload_kinds.end());
  Time longest = 0;
  const Time start = script.freeze.time();
  for (Source source : plan.overload) {
    longest = std::max(longest, source.end);
    source.start += start;
    source.end += start;
    for (std::uint16_t& kind : source.kinds)
      kind = static_cast<std::uint16_t>(kind + script.result.overload_kind);
    source.seed = ctx.seed();
    trial.sources.push_back(std::move(source));
  }
  if (!plan.overload.empty()) script.freeze.wait(longest + ctx.rig.settle());
}

std::optional<FillScript> script_of(Context& ctx, const FillPlan& plan) {
  const FrameKind& first = plan.fills.front().frame;
  auto freeze = FreezeTrial::create(ctx, first.to, first.dscp);
  if (!freeze) return std::nullopt;
  FillScript out{std::move(*freeze), {}};
  Trial& trial = out.freeze.trial;
  trial.obedience.assign(ctx.rig.ports().size(), {.obeys = false});
  for (const auto& [port, obedience] : plan.obedience) trial.obedience[port] = obedience;
  std::uint64_t wire = 0;
  for (const Fill& fill : plan.fills) {
    if (!out.freeze.also(ctx, fill.frame.to, fill.frame.dscp)) return std::nullopt;
    out.result.kinds.push_back(out.freeze.send(ctx, fill.from, fill.frame, fill.count, fill.gap));
    constexpr std::uint64_t kLongestOverhead = 24;
    wire += fill.count * (FrameWriter::frame_length(fill.frame) + kLongestOverhead);
  }
  append_overload(ctx, plan, out);
  out.freeze.wait(plan.wait);
  out.freeze.release(ctx, wire);
  // A late sender must not send after the release, because such frames would not be held.
  for (Source& source : trial.sources) source.end = std::min(source.end, out.freeze.released_at());
  out.result.released = out.freeze.released_at();
  return out;
}

}  // namespace

const PauseSeen* FillResult::first_pause(std::uint16_t port) const {
  for (const PauseSeen& p : trial.pauses) {
    const auto& quanta = p.control.quanta;
    if (p.at >= released) break;
    if (p.port == port && std::any_of(quanta.begin(), quanta.end(), [](auto q) { return q != 0; })) return &p;
  }
  return nullptr;
}

bool can_freeze(const Context& ctx, std::uint8_t dscp) {
  switch (ctx.findings.obeyed) {
    case roce::PauseMode::kPause:
      return true;
    case roce::PauseMode::kPfc:
      return ctx.findings.priority_of_dscp[dscp].has_value();
    case roce::PauseMode::kOff:
      break;
  }
  return false;
}

std::optional<FillResult> fill_and_release(Context& ctx, const FillPlan& plan) {
  auto script = script_of(ctx, plan);
  if (!script) return std::nullopt;
  const FreezeTrial& freeze = script->freeze;
  auto result = ctx.run_valid(freeze.trial, [&](const TrialResult& r) {
    return freeze.lapsed(r) ? std::string("frames left the switch although the port had paused it")
                            : std::string();
  });
  if (!result) return std::nullopt;
  FillResult out = std::move(script->result);
  out.trial = std::move(*result);
  for (const std::uint16_t k : out.kinds) out.held.push_back(out.trial.kinds[k].arrived);
  return out;
}

std::optional<std::vector<FrameCount>> count_held(Context& ctx, const FillPlan& plan) {
  std::vector<FrameCount> out(plan.fills.size());
  for (unsigned i = 0; i < ctx.repetitions(kCountTrials); ++i) {
    const auto result = fill_and_release(ctx, plan);
    if (!result) return std::nullopt;
    for (std::size_t f = 0; f < out.size(); ++f) out[f].add(result->held[f]);
  }
  return out;
}

std::optional<Capacity> capacity(Context& ctx, std::uint16_t from, const FrameKind& frame) {
  constexpr std::uint64_t kFirst = 64, kMostBytes = 256'000'000, kMostFrames = 500'000;
  const std::uint64_t most = std::min(kMostFrames, kMostBytes / FrameWriter::frame_length(frame));
  Capacity out;
  for (std::uint64_t n = kFirst;; n = std::min(2 * n, most)) {
    const auto result = fill_and_release(ctx, {.fills = {{from, frame, n}}});
    if (!result) return std::nullopt;
    out.full = result->lost(0) != 0;
    out.paused = result->first_pause(from) != nullptr;
    if (!out.full && n < most) continue;
    const std::uint64_t enough = out.full ? overfilling(result->held[0]) : n;
    const auto counts = count_held(ctx, {.fills = {{from, frame, enough}}});
    if (!counts) return std::nullopt;
    out.frames = counts->front();
    return out;
  }
}

}  // namespace softfeb::switchtest
