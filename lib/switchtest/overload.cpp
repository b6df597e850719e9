// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/overload.hpp"

#include "switchtest/frame_writer.hpp"
#include "switchtest/path_delay.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::switchtest {

namespace {

/// Minimum time for which an overload keeps the queue full, in multiples of `slot_`.
constexpr std::uint64_t kWhileFull = 600;

}  // namespace

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
  noise_ = 0;
  for (Sender& s : senders_) {
    const auto path = path_delay(ctx_, s.port, frame_.to, frame_.dscp);
    if (!path) return false;
    // A frame that waits is stored completely, even in a cut-through switch, so it takes its full time on
    // both links.
    s.on_wires = time_on_wire(length, ctx_.rate(s.port)) + slot_;
    s.unloaded = path->value() + s.on_wires;
    if (ctx_.exact()) continue;
    const auto delays = unloaded_delays(ctx_, s.port, frame_);
    if (!delays) return false;
    noise_ = std::max(noise_, (*delays)[delays->size() * 9 / 10] - delays->front());
  }
  return true;
}

Time Overload::duration(std::uint64_t frames) const {
  // The queue grows by `excess_` frames in each slot. Afterwards, the queue stays full for kWhileFull slots,
  // so that some frames are admitted exactly when the queue is at its limit.
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

std::vector<Time> Overload::waits_while_full(const FillResult& result, Time Sender::*unloaded) const {
  const auto is_ours = [&](std::uint16_t kind) {
    return kind >= result.overload_kind && kind < result.overload_kind + senders_.size();
  };
  Time last = 0;
  for (std::size_t i = 0; i < senders_.size(); ++i)
    last = std::max(last, result.trial.kinds[result.overload_kind + i].last_departure);
  std::vector<Time> out;
  for (const Arrival& a : result.trial.arrivals) {
    if (!is_ours(a.kind) || a.departed + kWhileFull * slot_ < last) continue;
    const Time delay = a.at - a.departed;
    out.push_back(delay - std::min(delay, senders_[a.kind - result.overload_kind].*unloaded));
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::optional<FrameCount> Overload::depth(const FillResult& result) const {
  std::uint64_t lost = 0;
  for (std::size_t i = 0; i < senders_.size(); ++i)
    lost += result.trial.kinds[result.overload_kind + i].missing();
  if (lost == 0) return std::nullopt;
  const std::vector<Time> waits = waits_while_full(result, &Sender::unloaded);
  FrameCount out{0, 0};
  if (waits.empty()) return out;
  if (ctx_.exact()) {
    out.low = out.high = waits.back() / slot_ + 1;
    return out;
  }
  // Most frames are admitted when the queue has room for exactly one frame. The rig may delay frames, so that
  // they seem to wait longer. It may also delay the frames with which unloaded delays are measured, so that
  // other frames seem to wait for a shorter time. The quartiles exclude frames that the rig delayed.
  const Time low = waits[waits.size() / 4];
  const Time high = waits_while_full(result, &Sender::on_wires)[waits.size() * 3 / 4];
  out.low = (low - std::min(low, noise_)) / slot_ + 1;
  out.high = high / slot_ + 2;
  return out;
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

std::optional<Capacity> Overload::capacity(std::uint64_t first) {
  constexpr std::uint64_t kMost = 65'536;
  constexpr unsigned kTrials = 5;
  Capacity out;
  for (std::uint64_t n = first; n <= kMost && !out.full; n *= 2) {
    for (unsigned i = 0; i < ctx_.repetitions(kTrials); ++i) {
      const auto result = run_alone(n);
      if (!result) return std::nullopt;
      const auto deepest = depth(*result);
      // If the queue holds more than the `n` frames for which the overload was made, it was not full for long
      // enough.
      if (!deepest || deepest->high > n) break;
      out.full = true;
      out.frames.add(deepest->low);
      out.frames.add(deepest->high);
      out.paused = out.paused || paused(*result);
    }
  }
  return out;
}

}  // namespace softfeb::switchtest
