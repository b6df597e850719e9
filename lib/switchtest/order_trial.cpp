// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/order_trial.hpp"

#include "switchtest/frame_writer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace softfeb::switchtest {

namespace {

constexpr std::uint64_t kFewestInBacklog = 4;
/// Number of frames of the primer, which port A sends before the frames under test. The switch's transmitter
/// takes some frames from a queue in spite of a pause. It takes the frames of the primer, so the frames under
/// test stay in their queues.
constexpr std::uint64_t kOrderPrimer = 20;

/// Rate at which a queue of port D grows while ports A and B send, in bytes per second on the wire.
double overload_excess(const Context& ctx) {
  const Roles& roles = ctx.roles();
  const double offered =
      static_cast<double>(ctx.rate(roles.a)) + (roles.b ? static_cast<double>(ctx.rate(*roles.b)) : 0);
  return offered - static_cast<double>(ctx.rate(roles.d));
}

/// Results of a trial about the order of the frames of two kinds.
struct PairOrder {
  bool changed = false;  ///< two frames did not arrive in the order of their departure
  /// True if a frame departed while a frame of the other kind was waiting and could have been overtaken.
  bool met = false;
};

/// Compares kind `item` with each kind of `others`. `arrivals` must be in order of arrival, because frames
/// that a port receives in one burst have the same time.
std::vector<PairOrder> pair_orders(const std::vector<Arrival>& arrivals, std::uint16_t item,
                                   const std::vector<std::uint16_t>& others) {
  Time unloaded = kNever;
  for (const Arrival& a : arrivals) unloaded = std::min(unloaded, a.at - a.departed);
  std::vector<PairOrder> out(others.size());
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    if (arrivals[i].kind != item) continue;
    for (std::size_t j = 0; j < arrivals.size(); ++j) {
      const auto it = std::find(others.begin(), others.end(), arrivals[j].kind);
      if (it == others.end()) continue;
      PairOrder& pair = out[static_cast<std::size_t>(it - others.begin())];
      const bool item_first = arrivals[i].departed < arrivals[j].departed;
      const Arrival &first = arrivals[item_first ? i : j], &second = arrivals[item_first ? j : i];
      pair.changed = pair.changed || item_first != (i < j);
      pair.met = pair.met || second.departed + unloaded < first.at;
    }
  }
  return out;
}

}  // namespace

OrderTrials::OrderTrials(Context& ctx, const std::vector<FrameKind>& items, std::optional<Freeze> freeze)
    : ctx_(ctx), items_(items), freeze_(freeze) {
  for (const FrameKind& kind : items) longest_ = std::max(longest_, FrameWriter::frame_length(kind));
}

bool OrderTrials::can_overload(const Context& ctx) {
  constexpr double kLeast = 0.25;
  return overload_excess(ctx) >= kLeast * static_cast<double>(ctx.rate(ctx.roles().d));
}

/// Returns the number of frames that port A must send so that `backlog_` frames wait, among them at least one
/// frame of each of `items` items.
std::uint64_t OrderTrials::train_length(std::size_t items) const {
  if (freeze_) return std::max<std::uint64_t>(backlog_, items);
  const auto from_a = static_cast<double>(ctx_.rate(ctx_.roles().a));
  // Frames from port B wait as well, but do not count as frames of items.
  const double all = from_a + (ctx_.roles().b ? static_cast<double>(ctx_.rate(*ctx_.roles().b)) : 0);
  const auto needed = static_cast<std::uint64_t>(std::ceil(static_cast<double>(items) * all / from_a));
  const std::uint64_t waiting = std::max<std::uint64_t>(backlog_, needed);
  const double growth = overload_excess(ctx_) / from_a;
  return static_cast<std::uint64_t>(static_cast<double>(waiting) / std::min(1.0, growth)) + 1;
}

/// Adds frames from port A, and returns the time at which the last of them has departed.
Time OrderTrials::add_train(Plan& plan, const std::vector<std::uint16_t>& kinds, std::uint64_t count,
                            Time start) const {
  const std::uint16_t from = ctx_.roles().a;
  plan.trial.sources.push_back(
      {.port = from, .kinds = kinds, .start = start, .count = count, .seed = ctx_.settings.seed});
  return start + time_on_wire(longest_, ctx_.rate(from)) * count;
}

/// Adds frames from port B, so that port A's frames of these kinds have to wait. Only the order of the frames
/// from A is evaluated.
void OrderTrials::add_fillers(Plan& plan, const std::vector<std::uint16_t>& kinds, Time start,
                              Time end) const {
  std::vector<std::uint16_t> fillers;
  for (const std::uint16_t k : kinds) {
    fillers.push_back(static_cast<std::uint16_t>(plan.trial.kinds.size()));
    plan.trial.kinds.push_back(FrameKind(plan.trial.kinds[k]));
    plan.trial.kinds.back().record = false;
  }
  plan.trial.sources.push_back(
      {.port = *ctx_.roles().b, .kinds = fillers, .start = start, .end = end, .seed = ctx_.settings.seed});
}

/// Returns a plan with the kinds of a question, but no sources yet. Kind 0 is the primer (kOrderPrimer).
OrderTrials::Plan OrderTrials::empty_plan(const OrderQuestion& question) const {
  Plan out{.trial = ctx_.trial()};
  out.trial.obedience.assign(ctx_.rig.ports().size(), {.obeys = false});
  const auto add_kind = [&](std::size_t item) {
    out.trial.kinds.push_back(items_[item]);
    out.trial.kinds.back().record = true;
    return static_cast<std::uint16_t>(out.trial.kinds.size() - 1);
  };
  add_kind(question.item);
  out.item = add_kind(question.item);
  for (const std::size_t other : question.others) out.others.push_back(add_kind(other));
  return out;
}

OrderTrials::Plan OrderTrials::plan(const OrderQuestion& question) const {
  Plan out = empty_plan(question);
  const std::vector<std::uint16_t> item{out.item};
  const auto& first = question.others_first ? out.others : item;
  const auto& last = question.others_first ? item : out.others;
  Time at = ctx_.rig.settle();
  if (freeze_) at = add_train(out, {0}, kOrderPrimer, at);
  const Time began = at;
  at = add_train(out, first, train_length(first.size()), at);
  if (!freeze_ && ctx_.roles().b) add_fillers(out, first, began, at);
  at = add_train(out, last, last.size(), at) + ctx_.rig.settle();
  if (freeze_) {
    Freeze freeze = *freeze_;
    freeze.port = ctx_.roles().d;
    freeze.from = 0;
    freeze.until = out.released = at;
    out.trial.freezes.push_back(freeze);
  }
  const std::uint64_t most = kOrderPrimer + 2 * train_length(first.size()) + last.size();
  out.trial.end = at + most * time_on_wire(longest_, ctx_.rate(ctx_.roles().d)) + 2 * ctx_.rig.settle();
  return out;
}

/// Repeats a trial until the switch has held back all frames.
std::optional<TrialResult> OrderTrials::run(const Plan& plan) {
  constexpr int kAttempts = 5;
  for (int i = 0; i < kAttempts; ++i) {
    auto result = ctx_.run_valid(plan.trial);
    if (!result) {
      rig_failed_ = true;
      return std::nullopt;
    }
    const bool lapsed = freeze_ && !result->arrivals.empty() && result->arrivals.front().at < plan.released;
    if (!lapsed) return result;
  }
  failure_ = "frames left the switch although port D had paused it";
  return std::nullopt;
}

std::optional<std::vector<bool>> OrderTrials::answer(const OrderQuestion& question) {
  std::vector<bool> out;
  while (out.size() < question.others.size()) {
    OrderQuestion part{.item = question.item, .others_first = question.others_first};
    const auto begin = question.others.begin() + static_cast<std::ptrdiff_t>(out.size());
    const std::size_t size = std::min(question.others.size() - out.size(), most_others_);
    part.others.assign(begin, begin + static_cast<std::ptrdiff_t>(size));
    auto changed = answer_part(part);
    if (!failure_.empty() || rig_failed_) return std::nullopt;
    if (!changed || !answer_alone(part, *changed)) {
      if (!failure_.empty() || rig_failed_) return std::nullopt;
      continue;
    }
    for (const auto& c : *changed) out.push_back(*c);
  }
  return out;
}

/// Asks again about each kind in `others` whose frames never waited together with frames of the item, now
/// with a trial for this kind alone. In a trial with several kinds, only the last frames wait long enough. In
/// a trial with a single kind, this kind fills its queue alone. Returns false if answer_part() must be called
/// again.
bool OrderTrials::answer_alone(const OrderQuestion& question, std::vector<std::optional<bool>>& changed) {
  for (std::size_t i = 0; i < changed.size(); ++i) {
    if (changed[i]) continue;
    const OrderQuestion one{
        .item = question.item, .others = {question.others[i]}, .others_first = question.others_first};
    const auto answer = answer_part(one);
    if (!answer) return false;
    changed[i] = answer->front();
    if (changed[i]) continue;
    failure_ = "the switch holds too few frames to show in which order they leave";
    return false;
  }
  return true;
}

/// Asks about some of `others`. In the result, an element is nullopt if the trial does not show whether the
/// order changes, because frames of this kind never waited together with frames of the item. If the caller
/// should ask again with fewer frames, returns std::nullopt without setting failure_.
std::optional<std::vector<std::optional<bool>>> OrderTrials::answer_part(const OrderQuestion& question) {
  const Plan script = plan(question);
  const auto result = run(script);
  if (!result) return std::nullopt;
  const auto lost = [&](std::uint16_t k) { return result->kinds[k].arrived == 0; };
  if (!lost(script.item) && std::none_of(script.others.begin(), script.others.end(), lost)) {
    std::vector<std::optional<bool>> out;
    for (const PairOrder& pair : pair_orders(result->arrivals, script.item, script.others))
      out.push_back(pair.changed || pair.met || freeze_ ? std::optional(pair.changed) : std::nullopt);
    return out;
  }
  // Frames were lost because the memory of the switch was full, so halve the backlog.
  if (backlog_ / 2 < kFewestInBacklog)
    failure_ = "the switch dropped frames although only " + std::to_string(backlog_) + " of them waited";
  backlog_ /= 2;
  most_others_ = std::max<std::size_t>(1, std::min(most_others_, question.others.size()) / 2);
  return std::nullopt;
}

}  // namespace softfeb::switchtest
