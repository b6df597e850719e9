// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/estimators.hpp"
#include "switchtest/known_queues.hpp"
#include "switchtest/queue_levels.hpp"
#include "switchtest/scheduler_report.hpp"
#include "switchtest/scheduler_trial.hpp"
#include "switchtest/tests.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace softfeb::switchtest {

namespace {

/// Frame sizes with FCS. Frames of kLongSize are used to compare queues. Frames of both sizes together show
/// whether a weight counts frames or bytes.
constexpr std::uint32_t kLongSize = 1026, kShortSize = 130;
/// A queue has a rate limit if its rate is below kFullRate times the port's rate. In real time, the queue has
/// no rate limit if its rate is certainly above kNearlyFullRate times the port's rate.
constexpr double kFullRate = 0.98, kNearlyFullRate = 0.9;

/// The test `scheduler`: finds the order and the weights of the queues of port D.
class SchedulerSearch {
 public:
  explicit SchedulerSearch(Context& ctx) : ctx_(ctx), trials_(ctx) {}
  void run();

 private:
  static constexpr std::uint64_t kManyFrames = 2'000;
  std::uint64_t frames() const { return ctx_.quick() ? 500 : kManyFrames; }
  /// Returns the number of frames of a drain that measures a rate. In real time, the drain must be long, so
  /// that an interruption of the rig's loops is only a small part of the drain.
  std::uint64_t frames_for_rate() const { return ctx_.exact() ? frames() : kManyFrames; }
  double line_rate() const { return static_cast<double>(ctx_.rate(ctx_.roles().d)); }
  bool is_limit(const Interval& rate) const { return rate.high < kFullRate * line_rate(); }
  bool is_full(const Interval& rate) const { return rate.low >= kNearlyFullRate * line_rate(); }
  std::optional<Interval> drain_rate(const std::vector<QueueFill>& fills);
  bool find_limits();
  bool find_port_limit();
  std::optional<QueueRelation> compare(std::size_t a, std::size_t b);
  std::optional<QueueRelation> shares_of(std::size_t a, std::size_t b, const std::vector<Departure>& order,
                                         const Contention& all);
  bool limited(std::size_t queue, std::uint64_t frames, Time time) const;
  bool report_mode(const QueueHierarchy& found);
  bool measure_sizes(std::size_t a, std::size_t b, const Interval& ratio);
  bool report_shares(const QueueLevel& level);
  double wire_bytes() const { return kLongSize + 20; }

  Context& ctx_;
  SchedulerTrials trials_;
  std::vector<std::uint8_t> dscps_;  ///< DSCP of each queue
  /// Rate limit of each queue in bytes per second; empty if the queue has none.
  std::vector<std::optional<Interval>> limits_;
  std::optional<Interval> port_limit_;  ///< rate limit of all queues together
  bool uncertain_ = false;              ///< a queue may have a rate limit that the rig cannot observe
  QueueFailures failures_;
};

/// Measures the rate at which these queues drain together, in bytes per second. Repeats the drain until it is
/// certain whether there is a rate limit. Returns std::nullopt if the rig failed, or if the switch held too
/// few frames.
std::optional<Interval> SchedulerSearch::drain_rate(const std::vector<QueueFill>& fills) {
  constexpr unsigned kTrials = 10;
  CommonInterval out;
  for (unsigned i = 0; i < kTrials; ++i) {
    const auto order = trials_.drain(fills);
    const auto rate = order ? departure_rate(*order, wire_bytes(), trials_.time_error()) : std::nullopt;
    if (!rate) return std::nullopt;
    out.add(rate->low, rate->high);
    if (ctx_.exact() || is_limit(out.result()) || is_full(out.result())) break;
  }
  return out.result();
}

/// Measures the rate at which each queue drains alone. Returns false if the rig failed.
bool SchedulerSearch::find_limits() {
  for (std::size_t q = 0; q < dscps_.size(); ++q) {
    limits_.emplace_back();
    const auto rate = drain_rate({{dscps_[q], kLongSize, frames_for_rate()}});
    if (trials_.rig_failed()) return false;
    if (!rate) continue;
    if (is_limit(*rate)) limits_[q] = rate;
    uncertain_ = uncertain_ || !(is_limit(*rate) || is_full(*rate));
  }
  return find_port_limit();
}

/// Finds out whether the rate limit is that of the port, not of the queues. This is the case if every queue
/// has a limit, but two queues together are not faster than one queue. Returns false if the rig failed.
bool SchedulerSearch::find_port_limit() {
  constexpr double kFaster = 1.02;
  if (std::any_of(limits_.begin(), limits_.end(), [](const auto& limit) { return !limit; })) return true;
  if (limits_.size() > 1) {
    const auto both =
        drain_rate({{dscps_[0], kLongSize, frames_for_rate()}, {dscps_[1], kLongSize, frames_for_rate()}});
    if (trials_.rig_failed()) return false;
    if (!both || both->value > kFaster * limits_[0]->value) return true;
  }
  port_limit_ = limits_[0];
  std::fill(limits_.begin(), limits_.end(), std::nullopt);
  return true;
}

/// True if the queue has a rate limit, and if the `frames` frames that it sent in `time` reached about this
/// limit.
bool SchedulerSearch::limited(std::size_t queue, std::uint64_t frames, Time time) const {
  constexpr double kNearly = 0.97;
  if (!limits_[queue]) return false;
  return static_cast<double>(frames) * wire_bytes() / to_seconds(time) > kNearly * limits_[queue]->value;
}

std::optional<QueueRelation> SchedulerSearch::shares_of(std::size_t a, std::size_t b,
                                                        const std::vector<Departure>& order,
                                                        const Contention& all) {
  using Kind = QueueRelation::Kind;
  const auto rounds = whole_rounds(order, all);
  if (!rounds) {
    failures_[a] = "the switch held too few frames to show the weight of this queue";
    return QueueRelation{};
  }
  const Time time = order[rounds->end].at - order[rounds->begin].at;
  if (limited(a, rounds->frames[0], time) || limited(b, rounds->frames[1], time)) {
    failures_[a] = "a rate limit hides the weight of this queue";
    return QueueRelation{};
  }
  return QueueRelation{Kind::kShares, frame_ratio(rounds->frames[0], rounds->frames[1])};
}

std::optional<QueueRelation> SchedulerSearch::compare(std::size_t a, std::size_t b) {
  using Kind = QueueRelation::Kind;
  const std::vector<QueueFill> fills{{dscps_[a], kLongSize, frames()}, {dscps_[b], kLongSize, frames()}};
  const auto order = trials_.drain(fills);
  if (trials_.rig_failed()) return std::nullopt;
  if (!order) {
    failures_[a] = trials_.failure();
    return QueueRelation{};
  }
  const auto all = contention(*order, 2);
  if (!all) {
    failures_[a] = "the switch held too few frames of this queue";
    return QueueRelation{};
  }
  if (all->frames[1] == 0) return QueueRelation{Kind::kBefore};
  if (all->frames[0] == 0) return QueueRelation{Kind::kAfter};
  if (trials_.can_freeze(fills)) return shares_of(a, b, *order, *all);
  constexpr Time kFewestWaiting = 2;
  const Time slot = time_on_wire(kLongSize - kFcsSize, ctx_.rate(ctx_.roles().d));
  const auto full = while_all_wait(*order, *all, kFewestWaiting * slot);
  if (full) return shares_of(a, b, *order, *full);
  failures_[a] = "one of two queues did not fill up, although its sender is as fast as port D";
  return QueueRelation{};
}

/// Fills queue `a` with long frames and queue `b` with short frames, and reports whether a weight counts
/// frames or bytes. `ratio` is the weight of `b` in units of the weight of `a`. Returns false if the rig
/// failed.
bool SchedulerSearch::measure_sizes(std::size_t a, std::size_t b, const Interval& ratio) {
  const std::uint64_t longs = frames() / 2, shorts = longs * (kLongSize / kShortSize + 1);
  const auto order = trials_.drain({{dscps_[a], kLongSize, longs}, {dscps_[b], kShortSize, shorts}});
  if (trials_.rig_failed()) return false;
  const auto all = order ? contention(*order, 2) : std::nullopt;
  const auto rounds = all ? whole_rounds(*order, *all) : std::nullopt;
  if (!rounds || rounds->frames[0] < 2 || rounds->frames[1] < 2) {
    report_no_mode(ctx_, Status::kUnresolvable, order ? "the switch held too few frames" : trials_.failure());
    return true;
  }
  report_mode_of(
      ctx_, {{rounds->frames[0], rounds->frames[1]}, {kLongSize - kFcsSize, kShortSize - kFcsSize}}, ratio);
  return true;
}

/// Reports the mode (strict priority, or weights by frames or bytes). Measures it with two queues of one
/// level whose weights differ as little as possible. Returns false if the rig failed.
bool SchedulerSearch::report_mode(const QueueHierarchy& found) {
  const QueueLevel::Member *first = nullptr, *second = nullptr;
  const auto distance = [](const QueueLevel::Member& m) { return std::abs(std::log(m.weight.value)); };
  for (const QueueLevel& level : found.levels)
    for (auto m = level.members.begin() + 1; m != level.members.end(); ++m) {
      if (second != nullptr && distance(*m) >= distance(*second)) continue;
      first = &level.members.front();
      second = &*m;
    }
  if (second != nullptr) return measure_sizes(first->queue, second->queue, second->weight);
  if (!found.unplaced.empty()) {
    report_no_mode(ctx_, Status::kUnresolvable, failures_.at(found.unplaced.front()));
    return true;
  }
  ctx_.add({.name = "mode", .method = Method::kOrder, .text = "strict"});
  ctx_.add_without_value("overhead_bytes", Status::kAbsent, "no queues share the port by weights");
  return true;
}

/// Measures the share of each queue of a level while all queues of the level have frames to send. Returns
/// false if the rig failed.
bool SchedulerSearch::report_shares(const QueueLevel& level) {
  std::vector<QueueFill> fills;
  for (const auto& m : level.members) fills.push_back({dscps_[m.queue], kLongSize, frames()});
  if (fills.size() < 3 || !trials_.can_freeze(fills)) return true;
  const auto order = trials_.drain(fills);
  if (trials_.rig_failed()) return false;
  const auto all = order ? contention(*order, fills.size()) : std::nullopt;
  const auto rounds = all ? whole_rounds(*order, *all) : std::nullopt;
  if (!rounds) return true;
  const auto total = static_cast<double>(rounds->end - rounds->begin);
  for (std::size_t i = 0; i < fills.size(); ++i) {
    const auto n = static_cast<double>(rounds->frames[i]);
    ctx_.add({.name = "share",
              .labels = {{"queue", std::to_string(fills[i].dscp)}},
              .value = 100 * n / total,
              .low = 100 * (n - 1) / total,
              .high = 100 * (n + 1) / total,
              .unit = "%",
              .method = Method::kOrder});
  }
  return true;
}

void SchedulerSearch::run() {
  const KnownQueues known = known_queues(ctx_);
  dscps_ = known.dscps;
  if (dscps_.empty()) return ctx_.unresolvable(known.reason);
  if (!find_limits()) return ctx_.inconclusive();
  // Compare queues with rate limits last, because they are less suitable for finding the levels of other
  // queues.
  std::vector<std::size_t> queues(dscps_.size());
  for (std::size_t q = 0; q < queues.size(); ++q) queues[q] = q;
  std::stable_partition(queues.begin(), queues.end(), [&](std::size_t q) { return !limits_[q]; });
  const auto found = order_queues(queues, [&](std::size_t a, std::size_t b) { return compare(a, b); });
  if (!found) return ctx_.inconclusive();
  report_order(ctx_, *found, dscps_, failures_);
  if (dscps_.size() == 1) {
    report_no_mode(ctx_, Status::kAbsent, "all DSCPs share one queue");
  } else {
    report_weights(ctx_, *found, dscps_, failures_);
    if (!report_mode(*found)) return ctx_.inconclusive();
    for (const QueueLevel& level : found->levels)
      if (!report_shares(level)) return ctx_.inconclusive();
  }
  report_limits(ctx_, port_limit_, limits_, uncertain_, dscps_);
}

}  // namespace

void run_scheduler(Context& ctx) { SchedulerSearch(ctx).run(); }

}  // namespace softfeb::switchtest
