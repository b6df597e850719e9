// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/context.hpp"
#include "switchtest/marking_average.hpp"
#include "switchtest/marking_report.hpp"
#include "switchtest/marking_scope.hpp"
#include "switchtest/marking_search.hpp"
#include "switchtest/marking_stimulus.hpp"
#include "switchtest/tests.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace softfeb::switchtest {

namespace {

constexpr std::uint32_t kMarkingProbeSize = 1026;
/// The place of marking (enqueue or dequeue) counts as known if the log-likelihoods of the two places differ
/// by at least this value.
constexpr double kPlaceDecided = 3;
/// Length of a short train. During such a train, even a fast average still reflects the queue that was full
/// before the train.
constexpr std::uint64_t kFewFrames = 4;
/// Time without frames after which an average queue length has returned to about 0.
constexpr Time kForgetting = 50 * kMillisecond;

/// The test `ecn`: finds the marking curve.
class MarkingTest {
 public:
  explicit MarkingTest(Context& ctx)
      : ctx_(ctx),
        stimulus_(ctx, ctx.frame(ctx.roles().d,
                                 std::min(kMarkingProbeSize, ctx.large_size(ctx.roles().a, ctx.roles().d)))) {
  }
  void run();

 private:
  bool add_trains(unsigned trains);
  bool first_trains();
  void choose_place();
  std::optional<bool> depends_on_past();
  std::optional<bool> contradicted_after_full();
  std::optional<bool> hysteresis();
  bool unmarked_switch();
  void measure_average();
  bool measure();
  bool precise() const;
  void widen();
  void end();
  std::uint64_t overfill(std::uint64_t wanted) const;

  Context& ctx_;
  MarkingStimulus stimulus_;
  MarkingCounts counts_;
  std::uint64_t length_ = 0;  ///< number of frames of a train
  bool full_ = false;         ///< longer trains do not fit in the queue
  unsigned trains_ = 0;
  MarkingResult result_;
};

/// Ends the test after the stimulus has failed.
void MarkingTest::end() {
  if (stimulus_.failure().empty()) {
    ctx_.inconclusive();
  } else {
    ctx_.unresolvable(stimulus_.failure());
  }
}

bool MarkingTest::add_trains(unsigned trains) {
  for (unsigned i = 0; i < trains; ++i) {
    const auto train = stimulus_.train(length_);
    if (!train) return false;
    full_ = full_ || train->dropped != 0;
    counts_.add(*train);
  }
  trains_ += trains;
  return true;
}

/// Sends a few trains, and makes them longer until they reach 1.5 kmax.
bool MarkingTest::first_trains() {
  constexpr unsigned kTrains = 50;
  for (;;) {
    counts_ = {};
    trains_ = 0;
    if (!add_trains(kTrains)) return false;
    const std::uint32_t certain =
        std::min(counts_.certain_from(MarkedAt::kEnqueue), counts_.certain_from(MarkedAt::kDequeue));
    const std::uint64_t needed = TrainLength::beyond(certain);
    if (full_ || needed <= length_ + length_ / 8) return true;
    length_ = needed;
  }
}

void MarkingTest::choose_place() {
  const auto likelihood = [&](MarkedAt at) {
    return marking_likelihood(counts_.shares(at, stimulus_.length()));
  };
  const double enqueue = likelihood(MarkedAt::kEnqueue), dequeue = likelihood(MarkedAt::kDequeue);
  result_.at = enqueue >= dequeue ? MarkedAt::kEnqueue : MarkedAt::kDequeue;
  result_.at_is_known = std::max(enqueue, dequeue) - std::min(enqueue, dequeue) >= kPlaceDecided;
  result_.fit = fit_marking(counts_.shares(result_.at, stimulus_.length()));
}

/// Returns the number of frames with which to fill the queue, so that even a slow average rises. If port D
/// can pause the switch, the number is `wanted`; otherwise, it is twice the length of a train. It is at most
/// TrainLength::kMost.
std::uint64_t MarkingTest::overfill(std::uint64_t wanted) const {
  return std::min(stimulus_.freezes() ? wanted : 2 * length_, TrainLength::kMost);
}

/// True if, after the queue was full, frames are marked or not marked in a way that the current queue length
/// does not explain.
std::optional<bool> MarkingTest::contradicted_after_full() {
  const unsigned repetitions = ctx_.exact() ? 2 : ctx_.repetitions(20);
  std::uint64_t wrong = 0;
  for (unsigned i = 0; i < repetitions; ++i) {
    const auto train = stimulus_.after_full(overfill(4 * length_), kFewFrames);
    if (!train) return std::nullopt;
    for (const QueuedFrame& f : train->frames) {
      constexpr double kSure = 0.9;  // no frame may be marked below this share of the lower bound of kmin
      const double depth = static_cast<double>(f.depth(result_.at)) * stimulus_.length();
      if (f.marked ? depth < kSure * result_.fit->kmin.low
                   : result_.fit->reaches_kmax && depth > result_.fit->kmax.high + stimulus_.length())
        ++wrong;
    }
  }
  return wrong > repetitions / 4;
}

/// True if kmin is more than two frames smaller while an overloaded queue empties than while the queue fills.
std::optional<bool> MarkingTest::hysteresis() {
  constexpr int kTrains = 10;
  MarkingCounts emptying;
  for (int i = 0; i < kTrains; ++i) {
    auto train = stimulus_.after_full(length_, 0);
    if (!train) return std::nullopt;
    train->frames.erase(train->frames.begin(),
                        train->frames.begin() + static_cast<std::ptrdiff_t>(train->filled));
    emptying.add(*train);
  }
  const auto fit = fit_marking(emptying.shares(result_.at, stimulus_.length()));
  return fit && fit->kmin.high + 2 * stimulus_.length() < result_.fit->kmin.low;
}

/// Returns true if the marking does not depend only on the current length of the queue. Returns std::nullopt
/// if the stimulus failed.
std::optional<bool> MarkingTest::depends_on_past() {
  if (!result_.fit) return true;
  if (counts_.certain_from(result_.at) == 0) {
    // Every frame of every train was marked. If a train of a single frame is not marked, the cause was the
    // length of the trains.
    const auto lone = stimulus_.train(1);
    if (!lone || lone->frames.empty()) return std::nullopt;
    return !lone->frames.front().marked;
  }
  return stimulus_.freezes() ? contradicted_after_full() : hysteresis();
}

/// Decides whether a switch that has not marked any train marks at all. In real time, all trials that fill
/// the queue with many frames may be void. The test then uses fewer frames, which rules out only fast
/// averages. Returns false if the stimulus failed.
bool MarkingTest::unmarked_switch() {
  constexpr std::uint64_t kLeastFill = 512;
  const std::uint64_t enough = ctx_.quick() ? 1'000 : 3'000;
  while (counts_.frames() < enough && !counts_.any_marked())
    if (!add_trains(1)) return false;
  std::uint64_t fill = overfill(TrainLength::kMost);
  auto after = stimulus_.after_full(fill, kFewFrames);
  for (; !after && stimulus_.failure().empty() && fill / 4 >= kLeastFill; fill /= 4)
    after = stimulus_.after_full(fill / 4, kFewFrames);
  if (!after) return false;
  if (std::any_of(after->frames.begin(), after->frames.end(),
                  [](const QueuedFrame& f) { return f.marked; })) {
    result_.averaged = true;
    return true;
  }
  if (!counts_.any_marked()) report_no_marks(ctx_, counts_, stimulus_.length(), fill);
  return true;
}

/// Fits the curve of a switch that marks by the average length of the queue. Sends trains of many lengths
/// into an empty queue, and other trains after the queue was full. Only a falling average reveals the weight;
/// while the average rises, a different weight has the same effect as a greater kmin.
void MarkingTest::measure_average() {
  result_.fit.reset();
  result_.no_scope = "the marking does not depend on the present length of the queue";
  result_.no_fit = result_.no_scope + ", and no average of it explains the marks";
  if (!stimulus_.freezes()) {
    result_.no_fit = "the marking is averaged, and the switch does not obey pause frames that show how";
    return;
  }
  constexpr unsigned kLengths = 32;
  const unsigned repetitions = ctx_.quick() ? 3 : 8;
  std::vector<MarkedTrain> trains;
  const auto keep = [&](std::optional<MarkedTrain> train) {
    if (train) trains.push_back(std::move(*train));
    return train.has_value();
  };
  for (unsigned repetition = 0; repetition < repetitions; ++repetition) {
    for (unsigned i = 0; i < kLengths; ++i) {
      const std::uint64_t part = i * repetitions + repetition + 1;
      const std::uint64_t frames = std::max<std::uint64_t>(1, length_ * part / (kLengths * repetitions));
      if (!keep(stimulus_.train(frames, kForgetting))) return end();
    }
    for (std::uint64_t frames = 1; frames <= length_; frames *= 2)
      if (!keep(stimulus_.after_full(overfill(2 * length_), frames, kForgetting))) return end();
  }
  fit_average(trains, stimulus_.length(), result_);
  if (!counts_.any_marked() && !result_.fit)
    result_.no_fit = "the average changes so slowly that these trains are not marked";
}

/// True if the intervals are as narrow as required.
bool MarkingTest::precise() const {
  constexpr double kOfKmin = 0.02, kOfKmax = 0.005, kOfPmax = 0.03;
  const MarkingFit& fit = *result_.fit;
  // No interval can be narrower than about ±0.5 frame, because lengths are whole frames.
  const double frame = 0.6 * stimulus_.length();
  const auto within = [](const Interval& i, double tolerance) { return i.high - i.low <= 2 * tolerance; };
  return within(fit.kmin, std::max(frame, kOfKmin * fit.kmin.value)) &&
         (!fit.reaches_kmax || within(fit.kmax, std::max(frame, kOfKmax * fit.kmax.value))) &&
         (!fit.ramp || !fit.reaches_kmax || within(fit.pmax, kOfPmax * fit.pmax.value));
}

/// Widens the intervals by the possible error of the depths (MarkingStimulus::uncertainty()).
void MarkingTest::widen() {
  const double bytes = static_cast<double>(stimulus_.uncertainty()) * stimulus_.length();
  if (!result_.fit || bytes == 0) return;
  for (Interval* const i : {&result_.fit->kmin, &result_.fit->kmax}) {
    i->low = std::max(0.0, i->low - bytes);
    i->high += bytes;
  }
  MarkingFit& fit = *result_.fit;
  if (result_.at == MarkedAt::kDequeue)
    result_.no_pmax = "without pauses, it is not known how many frames are behind one that leaves";
  // On the ramp of the curve, a wrong depth leads to a wrong share of marked frames, and therefore to a wrong
  // Pmax.
  const double error = fit.pmax.value * bytes / std::max(fit.kmax.value - fit.kmin.value, bytes);
  fit.pmax.low = std::max(0.0, fit.pmax.low - error);
  fit.pmax.high = std::min(1.0, fit.pmax.high + error);
}

/// Doubles the number of trains until the intervals are narrow enough.
bool MarkingTest::measure() {
  const unsigned least = ctx_.quick() ? 50 : 200, most = ctx_.quick() ? 400 : 3'200;
  const Time until = ctx_.rig.now() + (ctx_.quick() ? 5 : 60) * kSecond;
  for (unsigned wanted = least;; wanted = 2 * trains_) {
    if (trains_ < wanted && !add_trains(wanted - trains_)) return false;
    result_.fit = fit_marking(counts_.shares(result_.at, stimulus_.length()));
    if (!result_.fit || precise() || 2 * trains_ > most || ctx_.rig.now() >= until) return true;
  }
}

void MarkingTest::run() {
  if (!stimulus_.possible())
    return ctx_.unresolvable(
        "the switch does not obey pause frames for these frames, and the senders cannot overload port D");
  auto found = find_train_length(stimulus_);
  if (!found) return end();
  length_ = found->frames;
  full_ = found->full;
  counts_ = std::move(found->counts);
  if (!counts_.any_marked()) {
    if (!unmarked_switch()) return end();
    if (!counts_.any_marked() && !result_.averaged) return;
  }
  if (!result_.averaged) {
    if (!first_trains()) return end();
    choose_place();
    const auto averaged = depends_on_past();
    if (!averaged) return end();
    result_.averaged = *averaged;
  }
  if (result_.averaged) {
    measure_average();
  } else if (!measure()) {
    return end();
  }
  if (ctx_.report.status != Status::kMeasured) return;
  widen();
  if (result_.fit && !result_.averaged) find_marking_scope(ctx_, stimulus_, length_, result_);
  report_marking(ctx_, counts_, stimulus_.length(), result_);
}

}  // namespace

void run_ecn(Context& ctx) { MarkingTest(ctx).run(); }

}  // namespace softfeb::switchtest
