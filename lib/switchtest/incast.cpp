// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/incast_trial.hpp"
#include "switchtest/search.hpp"
#include "switchtest/tests.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace softfeb::switchtest {

namespace {

/// Longest burst of one sender, in frames.
constexpr std::uint64_t kLongestBurst = 16'384;

/// An effect that a burst must not have.
struct BurstProperty {
  const char* figure;
  const char* curve;
  std::uint64_t BurstOutcome::*count;
  bool random;  ///< true if the same burst may or may not have the effect, even on a virtual rig
};
constexpr std::array kBurstProperties{
    BurstProperty{"frames_unmarked", "unmarked", &BurstOutcome::marked, true},
    BurstProperty{"frames_unpaused", "unpaused", &BurstOutcome::pauses, false},
    BurstProperty{"frames_lossless", "lossless", &BurstOutcome::lost, false},
};

/// Searches for the longest bursts from one set of senders.
class IncastSearch {
 public:
  IncastSearch(Context& ctx, std::vector<std::uint16_t> senders) : ctx_(ctx), trials_(ctx, senders) {}
  void run();

 private:
  bool find_top();
  Probe probe(const BurstProperty& property, std::uint64_t frames);
  Bracket validated(const BurstProperty& property, Bracket found);
  void measure(const BurstProperty& property);
  Figure figure_of(const BurstProperty& property, const Bracket& found) const;
  void explain_none(Figure& figure, const BurstProperty& property) const;
  void report_skew() const;
  std::map<std::string, std::string> labels() const {
    return {{"senders", std::to_string(trials_.senders())}};
  }

  Context& ctx_;
  IncastTrials trials_;
  std::uint64_t top_ = 1;  ///< longest burst that the searches try, in frames of each sender
  BurstOutcome at_top_;
};

/// Doubles the length of the burst until frames are lost, or until the burst is kBeyondPause times as long as
/// the first burst that caused pauses. In the second case, pauses certainly limit the queue. Returns false if
/// the rig failed.
bool IncastSearch::find_top() {
  constexpr std::uint64_t kBeyondPause = 16;
  std::uint64_t stop = kLongestBurst;
  for (;; top_ = std::min(2 * top_, stop)) {
    const auto seen = trials_.outcome(top_, 0);
    if (!seen) return false;
    at_top_ = *seen;
    if (seen->lost != 0 || top_ >= stop) return true;
    if (seen->pauses != 0) stop = std::min(stop, kBeyondPause * top_);
  }
}

Probe IncastSearch::probe(const BurstProperty& property, std::uint64_t frames) {
  std::size_t repetition = 0;
  return agreeing(ctx_, [&] {
    const auto seen = trials_.outcome(frames, repetition++);
    if (!seen) return Probe::kVoid;
    return (*seen).*property.count == 0 ? Probe::kPass : Probe::kFail;
  });
}

/// Repeats the longest burst that passed, and shortens it while any repetition fails.
Bracket IncastSearch::validated(const BurstProperty& property, Bracket found) {
  constexpr unsigned kRepetitions = 50, kQuickRepetitions = 10;
  unsigned repetitions = ctx_.repetitions(kRepetitions);
  if (property.random) repetitions = ctx_.quick() ? kQuickRepetitions : kRepetitions;
  for (; found.pass > 0; --found.pass) {
    bool passes = true, reached = true;
    for (unsigned i = 0; i < repetitions && passes && reached; ++i) {
      const auto seen = trials_.outcome(found.pass, i);
      reached = seen.has_value();
      passes = reached && (*seen).*property.count == 0;
    }
    if (!reached) found.unreached = found.pass;
    if (passes || !reached) break;
    found.fail = found.pass;
  }
  return found;
}

/// States why no burst failed.
void IncastSearch::explain_none(Figure& figure, const BurstProperty& property) const {
  const std::string frames = std::to_string(top_) + " frames";
  const std::optional<double> low = figure.low;
  figure.status = Status::kAbsent;
  figure.value = figure.low = figure.high = std::nullopt;
  const bool about_loss = property.count == &BurstOutcome::lost;
  if (!about_loss && at_top_.lost != 0) {
    figure.reason = "not even bursts that lost frames caused it";
  } else if (!about_loss && at_top_.pauses != 0) {
    figure.reason = "not even bursts of " + frames + ", which the switch paused, caused it";
  } else {
    figure.status = Status::kBounded;
    figure.value = figure.low = low;
    figure.reason = at_top_.pauses != 0 ? "pauses prevented losses in bursts of " + frames
                                        : "longer bursts than " + frames + " were not tried";
  }
}

Figure IncastSearch::figure_of(const BurstProperty& property, const Bracket& found) const {
  Figure out{.name = property.figure, .labels = labels(), .unit = "frames", .method = Method::kSearch};
  if (found.pass == 0 && !found.fail) {
    out.status = Status::kInconclusive;
    out.reason = trials_.failure();
    return out;
  }
  // If the senders did not start at the same time, the queue was shorter by at most one frame of each sender,
  // because IncastTrials::run() repeats a trial if a sender starts late by more than 100 ns and more than the
  // time of a frame.
  constexpr Time kExact = 100 * kNanosecond;
  const std::uint64_t excess =
      (trials_.skew() > kExact ? 1 : 0) + trials_.error(found.pass, property.count, false);
  out.value = static_cast<double>(found.pass);
  out.low = static_cast<double>(found.pass - std::min(found.pass, excess));
  if (found.fail && (!found.unreached || *found.unreached >= *found.fail)) {
    out.high = static_cast<double>(*found.fail - 1 + trials_.error(*found.fail, property.count, true));
  } else if (found.unreached) {
    out.status = Status::kBounded;
    out.reason = "the rig failed with longer bursts: " + trials_.failure();
  } else {
    explain_none(out, property);
  }
  return out;
}

void IncastSearch::measure(const BurstProperty& property) {
  Bracket found = double_and_bisect(1, top_, [&](std::uint64_t n) { return probe(property, n); });
  // On a busy rig, the longest burst may pass in this search although it failed when find_top() sent it. The
  // burst then counts as failed.
  if (!found.fail && !found.unreached && at_top_.*property.count != 0) found.fail = top_;
  if (found.fail) found = validated(property, found);
  const Figure& figure = ctx_.add(figure_of(property, found));
  if (!figure.value) return;
  const auto curve = std::find_if(ctx_.report.curves.begin(), ctx_.report.curves.end(),
                                  [&](const Curve& c) { return c.label == property.curve; });
  Curve& to = curve != ctx_.report.curves.end()
                  ? *curve
                  : ctx_.report.curves.emplace_back(Curve{
                        "incast", property.curve, "senders", "", "frames of each sender", "frames", {}});
  to.points.push_back({static_cast<double>(trials_.senders()), *figure.value, figure.low, figure.high});
}

void IncastSearch::report_skew() const {
  const double ns = static_cast<double>(trials_.skew()) / kNanosecond;
  ctx_.add({.name = "start_skew_ns",
            .labels = labels(),
            .value = ns,
            .low = 0.0,
            .high = ns,
            .unit = "ns",
            .method = Method::kMean});
}

void IncastSearch::run() {
  if (!trials_.overload()) {
    for (const BurstProperty& property : kBurstProperties)
      ctx_.add_without_value(property.figure, Status::kUnresolvable,
                             "these senders together are not faster than port D")
          .labels = labels();
    return;
  }
  if (!find_top()) {
    ctx_.inconclusive();
    ctx_.report.reason = "too many trials were void; the last one because " + trials_.failure();
    return;
  }
  for (const BurstProperty& property : kBurstProperties) measure(property);
  report_skew();
}

}  // namespace

void run_incast(Context& ctx) {
  const std::vector<std::uint16_t> all = ctx.roles().senders();
  if (all.size() < 2) return ctx.unresolvable("the test needs two senders besides port D");
  for (std::size_t n = 2;; n = std::min(2 * n, all.size())) {
    IncastSearch(ctx, {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n)}).run();
    if (n == all.size() || ctx.report.status != Status::kMeasured) return;
  }
}

}  // namespace softfeb::switchtest
