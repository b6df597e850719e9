// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/shared_links.hpp"

#include <algorithm>

namespace softfeb::switchtest {

namespace {

constexpr std::uint64_t kTrainFrames = 60;
/// Shortest duration of a train in real time. This duration is so long that the waiting time at a shared link
/// exceeds the time errors of the rig.
constexpr Time kRealTrain = 10 * kMillisecond;
constexpr std::size_t kPairsAtOnce = 32;
constexpr std::uint64_t kOvertakingFrames = 512;
constexpr std::uint32_t kShortFrame = 78;

/// True if frames of a kind were lost, or if the last frame waited much longer than the first frame. With two
/// flows of 60 % on a link, the waiting time grows to a fifth of the train's duration. If the memory becomes
/// full before that, a sixth of the later frames is lost.
bool congested(const KindStats& stats, Time train) {
  if (stats.arrived == 0 || stats.missing() * 100 > stats.sent) return true;
  const Time first = stats.first_arrival - stats.first_departure;
  return stats.last_arrival > stats.last_departure + first + train / 20;
}

}  // namespace

SharedLinks::SharedLinks(Context& ctx)
    : ctx_(ctx),
      size_(std::min(ctx.large_size(ctx.roles().a, ctx.roles().d),
                     ctx.large_size(*ctx.roles().b, *ctx.roles().e))) {}

Trial SharedLinks::empty_trial() const {
  Trial out = ctx_.trial();
  out.obedience.assign(ctx_.rig.ports().size(), {.obeys = false});
  return out;
}

/// Appends a train from port A to port D or, if `second` is true, from port B to port E. Returns the kind of
/// its frames.
std::uint16_t SharedLinks::add(Trial& trial, const Flow& flow, bool second, Time start,
                               const Segment& segment) const {
  const Roles& roles = ctx_.roles();
  const auto index = static_cast<std::uint16_t>(trial.kinds.size());
  FrameKind kind = ctx_.frame(second ? *roles.e : roles.d, size_);
  flow.apply(kind);
  trial.kinds.push_back(kind);
  trial.sources.push_back({.port = second ? *roles.b : roles.a,
                           .kinds = {index},
                           .start = start,
                           .count = segment.frames,
                           .gap = segment.gap});
  return index;
}

/// Returns the interval between the arrivals of a single flow that is sent as fast as both of its ports
/// permit. Returns 0 if fewer than two frames arrived.
std::optional<Time> SharedLinks::gap_of(bool second) {
  const Roles& roles = ctx_.roles();
  const std::uint64_t rate =
      std::min(ctx_.rate(second ? *roles.b : roles.a), ctx_.rate(second ? *roles.e : roles.d));
  Trial trial = empty_trial();
  const Time gap = time_on_wire(size_ - kFcsSize, rate);
  add(trial, {}, second, 0, {.frames = kTrainFrames, .gap = gap});
  trial.end = 2 * kTrainFrames * gap + 10 * ctx_.rig.settle();
  const auto result = ctx_.run_valid(trial);
  if (!result) return std::nullopt;
  const KindStats& stats = result->kinds[0];
  if (stats.arrived < 2) return Time{0};
  return std::max(gap, (stats.last_arrival - stats.first_arrival) / (stats.arrived - 1));
}

bool SharedLinks::measure() {
  const auto first = gap_of(false);
  const auto second = first ? gap_of(true) : std::nullopt;
  if (!first || !second) return false;
  gap_ = *first == 0 || *second == 0 ? 0 : std::max(*first, *second);
  return found();
}

SharedLinks::Segment SharedLinks::segment(unsigned percent) const {
  Segment out{.gap = gap_ * 100 / percent};
  out.frames = kTrainFrames;
  if (!ctx_.exact()) out.frames = std::max(out.frames, kRealTrain / out.gap);
  out.length = out.frames * out.gap;
  return out;
}

std::optional<std::vector<bool>> SharedLinks::shared(const std::vector<FlowPair>& pairs, unsigned percent) {
  const Segment each = segment(percent);
  std::vector<bool> out;
  for (std::size_t from = 0; from < pairs.size(); from += kPairsAtOnce) {
    Trial trial = empty_trial();
    Time start = 0;
    for (std::size_t i = from; i < std::min(from + kPairsAtOnce, pairs.size()); ++i) {
      add(trial, pairs[i].first, false, start, each);
      add(trial, pairs[i].second, true, start, each);
      // Before the next pair starts, leave time for frames that still wait at a shared link.
      start += 2 * each.length + ctx_.rig.settle();
    }
    trial.end = start + ctx_.rig.settle();
    const auto result = ctx_.run_valid(trial);
    if (!result) return std::nullopt;
    for (std::size_t k = 0; k < trial.kinds.size(); k += 2)
      out.push_back(congested(result->kinds[k], each.length) || congested(result->kinds[k + 1], each.length));
  }
  return out;
}

std::optional<double> SharedLinks::overtaken() {
  Trial trial = empty_trial();
  for (const std::uint32_t size : {size_, kShortFrame}) {
    trial.kinds.push_back(ctx_.frame(ctx_.roles().d, size));
    trial.kinds.back().record = true;
  }
  // If the kinds alternated, a switch that alternates between two paths could send all long frames over one
  // path and all short frames over the other. The order of the kinds is therefore random.
  trial.sources.push_back({.port = ctx_.roles().a,
                           .kinds = {0, 1},
                           .mixed = true,
                           .count = kOvertakingFrames,
                           .seed = ctx_.seed()});
  trial.end = kOvertakingFrames * gap_ * 2 + 10 * ctx_.rig.settle();
  const auto result = ctx_.run_valid(trial);
  if (!result) return std::nullopt;
  std::uint64_t late = 0;
  Time latest = 0;
  for (const Arrival& a : result->arrivals) {
    if (a.departed < latest) ++late;
    latest = std::max(latest, a.departed);
  }
  return static_cast<double>(late) / kOvertakingFrames;
}

}  // namespace softfeb::switchtest
