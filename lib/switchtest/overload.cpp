// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/overload.hpp"

#include "switchtest/frame_writer.hpp"
#include "switchtest/path_delay.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::switchtest {

Overload::Overload(Context& ctx, FrameKind frame)
    : ctx_(ctx),
      frame_(std::move(frame)),
      slot_(time_on_wire(FrameWriter::frame_length(frame_), ctx.rate(frame_.to))) {
  frame_.record = true;
  choose_senders(false);
  if (!possible()) choose_senders(true);
}

/// Divides the load among the other ports in proportion to their rates.
void Overload::choose_senders(bool with_d) {
  senders_.clear();
  const auto line = static_cast<double>(ctx_.rate(frame_.to));
  double sum = 0;
  for (std::uint16_t p = 0; p < ctx_.rig.ports().size(); ++p) {
    if (p == frame_.to || (p == ctx_.roles().d && !with_d)) continue;
    senders_.push_back({.port = p});
    sum += static_cast<double>(ctx_.rate(p));
  }
  constexpr double kGreatestLoad = 0.95;
  const double load = std::min(kGreatestLoad, kOffered * line / sum);
  for (Sender& s : senders_)
    s.gap = static_cast<Time>(
        static_cast<double>(time_on_wire(FrameWriter::frame_length(frame_), ctx_.rate(s.port))) / load);
  excess_ = load * sum / line - 1;
}

bool Overload::calibrate() {
  const std::uint32_t length = FrameWriter::frame_length(frame_);
  for (Sender& s : senders_) {
    const auto path = path_delay(ctx_, s.port, frame_.to, frame_.dscp);
    if (!path) return false;
    // A frame that waits is stored, even in a switch that forwards others before they are complete.
    s.unloaded = path->value() + time_on_wire(length, ctx_.rate(s.port)) + slot_;
  }
  return true;
}

Time Overload::duration(std::uint64_t frames) const {
  // The queue grows by `excess_` frames in each slot. Then it stays full for some hundred frames, so that
  // some of them are admitted just when the limit is reached.
  constexpr std::uint64_t kWhileFull = 600;
  constexpr double kMargin = 1.3;
  const double slots = kMargin * static_cast<double>(frames) / excess_ + kWhileFull;
  return static_cast<Time>(slots * static_cast<double>(slot_));
}

void Overload::add(FillPlan& plan, std::uint64_t frames) const {
  const Time time = duration(frames);
  for (const Sender& s : senders_) {
    const auto kind = static_cast<std::uint16_t>(plan.overload_kinds.size());
    plan.overload_kinds.push_back(frame_);
    plan.overload.push_back({.port = s.port,
                             .kinds = {kind},
                             .end = time,
                             .count = time / s.gap * 2,
                             .gap = s.gap,
                             .gap_kind = GapKind::kExponential});
  }
  plan.wait += (frames + 1) * slot_;
}

std::optional<std::uint64_t> Overload::depth(const FillResult& result) const {
  std::uint64_t lost = 0, most = 0;
  for (std::size_t i = 0; i < senders_.size(); ++i)
    lost += result.trial.kinds[result.overload_kind + i].missing();
  if (lost == 0) return std::nullopt;
  for (const Arrival& a : result.trial.arrivals) {
    if (a.kind < result.overload_kind || a.kind >= result.overload_kind + senders_.size()) continue;
    const Time delay = a.at - a.departed, unloaded = senders_[a.kind - result.overload_kind].unloaded;
    const Time waited = delay - std::min(delay, unloaded);
    most = std::max<std::uint64_t>(most, waited / slot_ + 1);
  }
  return most;
}

bool Overload::paused(const FillResult& result) const {
  return std::any_of(senders_.begin(), senders_.end(),
                     [&](const Sender& s) { return result.first_pause(s.port) != nullptr; });
}

std::optional<FillResult> Overload::run_alone(std::uint64_t frames) {
  FillPlan plan;
  add(plan, frames);
  FillResult out;
  Trial trial = ctx_.trial();
  trial.obedience.assign(ctx_.rig.ports().size(), {.obeys = false});
  trial.kinds = plan.overload_kinds;
  for (Source source : plan.overload) {
    source.start = ctx_.rig.settle();
    source.end += source.start;
    source.seed = ctx_.seed();
    trial.end = std::max(trial.end, source.end);
    trial.sources.push_back(std::move(source));
  }
  out.released = trial.end;
  trial.end += plan.wait + 2 * ctx_.rig.settle();
  auto result = ctx_.run_valid(trial);
  if (!result) return std::nullopt;
  out.trial = std::move(*result);
  return out;
}

std::optional<Capacity> Overload::capacity() {
  constexpr std::uint64_t kFirst = 64, kMost = 65'536;
  constexpr unsigned kTrials = 5;
  Capacity out;
  for (std::uint64_t n = kFirst; n <= kMost && !out.full; n *= 2) {
    for (unsigned i = 0; i < ctx_.repetitions(kTrials); ++i) {
      const auto result = run_alone(n);
      if (!result) return std::nullopt;
      const auto deepest = depth(*result);
      // The queue was full for long enough only if it holds less than the overload was made for.
      if (!deepest || *deepest > n) break;
      out.full = true;
      out.frames.add(*deepest);
      out.paused = out.paused || paused(*result);
    }
  }
  return out;
}

}  // namespace softfeb::switchtest
