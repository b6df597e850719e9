// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/marking_stimulus.hpp"

#include "switchtest/freeze.hpp"
#include "switchtest/order_trial.hpp"

#include <algorithm>

namespace softfeb::switchtest {

namespace {

constexpr int kFreezeAttempts = 5;
/// Bytes that a frame occupies on the wire in addition to its length: FCS, preamble and gap.
constexpr std::uint32_t kBeyondTrainFrame = 24;

std::vector<Arrival> arrivals_of_kinds(const TrialResult& result, std::uint16_t port, std::uint16_t first,
                                       std::uint16_t end) {
  std::vector<Arrival> out;
  for (const Arrival& a : result.arrivals)
    if (a.port == port && a.kind >= first && a.kind < end) out.push_back(a);
  return out;
}

/// A trial in which port A and, if it exists, port B overload port D. Kinds and sources 0 and 1 measure the
/// delays of frames that do not wait. Kinds 2 and 3 are the overload from A and B. Kind 4 comes from A after
/// the overload.
class MarkingOverload {
 public:
  static constexpr std::uint16_t kFirst = 2, kEmptying = 4, kEnd = 5;

  MarkingOverload(Context& ctx, const FrameKind& frame) : trial(ctx.trial()), ctx_(ctx) {
    trial.obedience.assign(ctx.rig.ports().size(), {.obeys = false});
    trial.kinds.assign(kEnd, frame);
    for (FrameKind& kind : trial.kinds) kind.record = true;
    slot_ = time_on_wire(frame.length, ctx.rate(ctx.roles().d));
    own_a_ = time_on_wire(frame.length, ctx.rate(ctx.roles().a));
    add_calibration(ctx.roles().a, 0);
    if (ctx.roles().b) add_calibration(*ctx.roles().b, 1);
  }

  void add(std::uint64_t frames, bool then_empty);
  std::vector<Time> unloaded(const TrialResult& result) const;

  Trial trial;

 private:
  /// Port B sends at this share of its rate. The gaps of port B are exponential, so that the senders are not
  /// synchronized.
  static constexpr double kShareOfB = 0.9;

  void add_calibration(std::uint16_t port, std::uint16_t kind) {
    constexpr std::uint64_t kCount = 3;
    const Time gap = 4 * std::max(slot_, own_a_) + ctx_.rig.settle();
    at_ += gap;
    trial.sources.push_back({.port = port, .kinds = {kind}, .start = at_, .count = kCount, .gap = gap});
    at_ += kCount * gap;
  }

  Context& ctx_;
  Time slot_ = 0, own_a_ = 0;
  Time at_ = 0;
};

/// Makes the queue grow to about `frames` frames. If `then_empty` is true, port A then continues to send at a
/// slightly lower rate than the rate of port D, so that the queue empties slowly.
void MarkingOverload::add(std::uint64_t frames, bool then_empty) {
  constexpr double kSlower = 0.8;
  const Roles& roles = ctx_.roles();
  const double to = static_cast<double>(ctx_.rate(roles.d));
  double offered = static_cast<double>(ctx_.rate(roles.a));
  if (roles.b) offered += kShareOfB * static_cast<double>(ctx_.rate(*roles.b));
  const auto count = static_cast<double>(frames);
  const Time end = at_ + static_cast<Time>(count * static_cast<double>(slot_) / (offered / to - 1));
  trial.sources.push_back({.port = roles.a, .kinds = {2}, .start = at_, .end = end});
  if (roles.b) {
    const Time own = time_on_wire(trial.kinds[3].length, ctx_.rate(*roles.b));
    trial.sources.push_back({.port = *roles.b,
                             .kinds = {3},
                             .start = at_,
                             .end = end,
                             .gap = static_cast<Time>(static_cast<double>(own) / kShareOfB),
                             .gap_kind = GapKind::kExponential,
                             .seed = ctx_.seed()});
  }
  trial.end = end + 2 * frames * slot_ + 2 * ctx_.rig.settle();
  if (!then_empty) return;
  const auto gap = static_cast<Time>(static_cast<double>(std::max(slot_, own_a_)) / kSlower);
  const Time until = end + static_cast<Time>(count * static_cast<double>(slot_) / (1 - kSlower));
  trial.sources.push_back({.port = roles.a, .kinds = {kEmptying}, .start = end, .end = until, .gap = gap});
  trial.end = until + 2 * ctx_.rig.settle() + 2 * frames * slot_;
}

/// Returns, for each kind, the shortest delay of the frames that did not wait and came from the sender of
/// this kind.
std::vector<Time> MarkingOverload::unloaded(const TrialResult& result) const {
  std::vector<Time> out(kEnd, kNever);
  for (const Arrival& a : result.arrivals)
    if (a.kind < kFirst) out[a.kind] = std::min(out[a.kind], a.at - a.departed);
  out[2] = out[kEmptying] = out[0];
  out[3] = out[1];
  return out;
}

}  // namespace

MarkingStimulus::MarkingStimulus(Context& ctx, const FrameKind& frame)
    : ctx_(ctx), frame_(frame), freezes_(FreezeTrial::create(ctx, frame.to, frame.dscp).has_value()) {}

bool MarkingStimulus::possible() const { return freezes_ || OrderTrials::can_overload(ctx_); }

std::uint32_t MarkingStimulus::uncertainty() const {
  if (freezes_) return 0;
  return ctx_.roles().b ? 2 : 1;
}

Time MarkingStimulus::drain_time(std::uint64_t frames) const {
  return frames * time_on_wire(frame_.length, ctx_.rate(frame_.to));
}

std::optional<FreezeTrial> MarkingStimulus::frozen() {
  auto out = FreezeTrial::create(ctx_, frame_.to, frame_.dscp);
  if (out) out->trial.obedience.assign(ctx_.rig.ports().size(), {.obeys = false});
  return out;
}

/// Repeats a trial until no frame of kind `first_kind` or later arrived before the release.
std::optional<TrialResult> MarkingStimulus::run_frozen(const FreezeTrial& freeze, std::size_t first_kind) {
  for (int i = 0; i < kFreezeAttempts; ++i) {
    auto result = ctx_.run_valid(freeze.trial);
    if (!result) return std::nullopt;
    const bool lapsed = std::any_of(result->arrivals.begin(), result->arrivals.end(), [&](const Arrival& a) {
      return a.port == frame_.to && a.kind >= first_kind && a.at < freeze.released_at();
    });
    if (!lapsed) return result;
  }
  failure_ = "frames left the switch although port D had paused it";
  return std::nullopt;
}

std::optional<MarkedTrain> MarkingStimulus::train(std::uint64_t frames, Time idle) {
  auto out = freezes_ ? frozen_train_of(frames, idle) : overload(frames, false);
  if (!out || !out->frames.empty()) return out;
  failure_ = "none of the frames of a train arrived";
  return std::nullopt;
}

std::optional<MarkedTrain> MarkingStimulus::after_full(std::uint64_t frames, std::uint64_t later, Time idle) {
  return freezes_ ? frozen_after_full(frames, later, idle) : overload(frames, true);
}

std::optional<MarkedTrain> MarkingStimulus::frozen_train_of(std::uint64_t frames, Time idle) {
  auto freeze = frozen();
  if (!freeze) return std::nullopt;
  freeze->wait(idle);
  const std::uint16_t kind = freeze->send(ctx_, ctx_.roles().a, frame_, frames);
  freeze->release(ctx_, frames * (frame_.length + kBeyondTrainFrame));
  const auto result = run_frozen(*freeze, 0);
  if (!result) return std::nullopt;
  MarkedTrain out{.frames = frozen_train(arrivals_of_kinds(*result, frame_.to, kind, kind + 1)),
                  .dropped = result->kinds[kind].missing()};
  out.filled = out.frames.size();
  return out;
}

/// Finds out how many of `frames` frames the queue accepts while port D pauses the switch, unless this number
/// is already known. Then runs a trial in which port D lets all but one of these frames leave and pauses the
/// switch again, before a train of `later` frames arrives.
std::optional<MarkedTrain> MarkingStimulus::frozen_after_full(std::uint64_t frames, std::uint64_t later,
                                                              Time idle) {
  constexpr std::uint64_t kLeft = 1;
  if (held_of_ != frames) {
    const auto full = frozen_train_of(frames, 0);
    if (!full) return std::nullopt;
    held_ = full->frames.size();
    held_of_ = frames;
  }
  auto freeze = frozen();
  if (!freeze) return std::nullopt;
  freeze->wait(idle);
  const std::uint16_t first = freeze->send(ctx_, ctx_.roles().a, frame_, frames);
  const Time opened = freeze->time();
  freeze->wait(drain_time(held_ - std::min(held_, kLeft)));
  const Time closed = freeze->time();
  freeze->wait(ctx_.rig.settle());
  const std::uint16_t second = freeze->send(ctx_, ctx_.roles().a, frame_, later);
  freeze->release(ctx_, (held_ + later) * (frame_.length + kBeyondTrainFrame));
  freeze->trial.freezes.push_back(freeze->trial.freezes.front());
  freeze->trial.freezes.front().until = opened;
  freeze->trial.freezes.back().from = closed;
  const auto result = run_frozen(*freeze, second);
  if (!result) return std::nullopt;
  return refilled_train(arrivals_of_kinds(*result, frame_.to, first, first + 1),
                        result->kinds[first].missing(),
                        arrivals_of_kinds(*result, frame_.to, second, second + 1), freeze->released_at());
}

std::optional<MarkingStimulus::Beside> MarkingStimulus::beside_full(std::uint8_t other, std::uint64_t others,
                                                                    std::uint64_t frames) {
  auto freeze = frozen();
  if (!freeze || !freeze->also(ctx_, frame_.to, other)) return std::nullopt;
  FrameKind neighbour = frame_;
  neighbour.dscp = other;
  freeze->send(ctx_, ctx_.roles().a, neighbour, others);
  const std::uint16_t own = freeze->send(ctx_, ctx_.roles().a, frame_, frames);
  freeze->release(ctx_, (others + frames) * (frame_.length + kBeyondTrainFrame));
  const auto result = run_frozen(*freeze, 0);
  if (!result) return std::nullopt;
  const auto all = arrivals_of_kinds(*result, frame_.to, 0, own + 1);
  Beside out;
  out.alone.frames = frozen_train(arrivals_of_kinds(*result, frame_.to, own, own + 1));
  out.alone.dropped = out.together.dropped = result->kinds[own].missing();
  const auto before = static_cast<std::uint32_t>(all.size() - out.alone.frames.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].kind != own) continue;
    QueuedFrame frame = out.alone.frames[out.together.frames.size()];
    frame.ahead += before;
    frame.behind = static_cast<std::uint32_t>(all.size() - 1 - i);
    out.together.frames.push_back(frame);
  }
  return out;
}

std::optional<MarkedTrain> MarkingStimulus::overload(std::uint64_t frames, bool then_empty) {
  MarkingOverload script(ctx_, frame_);
  script.add(frames, then_empty);
  const auto result = ctx_.run_valid(script.trial);
  if (!result) return std::nullopt;
  const auto arrivals = arrivals_of_kinds(*result, frame_.to, MarkingOverload::kFirst, MarkingOverload::kEnd);
  const std::vector<Time> unloaded = script.unloaded(*result);
  for (const Arrival& a : arrivals) {
    if (unloaded[a.kind] != kNever) continue;
    failure_ = "frames that are sent alone do not arrive";
    return std::nullopt;
  }
  MarkedTrain out{.frames = overload_train(arrivals, unloaded)};
  for (std::size_t k = MarkingOverload::kFirst; k < MarkingOverload::kEnd; ++k)
    out.dropped += result->kinds[k].missing();
  const auto emptying = std::find_if(arrivals.begin(), arrivals.end(),
                                     [](const Arrival& a) { return a.kind == MarkingOverload::kEmptying; });
  out.filled = static_cast<std::size_t>(emptying - arrivals.begin());
  return out;
}

}  // namespace softfeb::switchtest
