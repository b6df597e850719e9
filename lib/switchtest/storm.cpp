// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/estimators.hpp"
#include "switchtest/search.hpp"
#include "switchtest/storm_bystanders.hpp"
#include "switchtest/storm_trial.hpp"
#include "switchtest/tests.hpp"

#include <algorithm>
#include <functional>
#include <string>

namespace softfeb::switchtest {

namespace {

/// The test `storm`: finds the watchdog of a switch, and measures how a pause storm affects other traffic.
class WatchdogTest {
 public:
  explicit WatchdogTest(Context& ctx) : ctx_(ctx), trials_(ctx) {}
  void run();

 private:
  enum class Action { kNone, kDrop, kForward };

  bool find_watchdog();
  void note_first(const StormOutcome& seen);
  bool repeat_detection();
  bool bisect_detection();
  bool bisect_restoration();
  std::optional<Interval> bracketed(const std::function<Probe(std::uint64_t)>& probe) const;
  void report_watchdog() const;
  void report_restoration() const;
  void report_time(const char* name, const Interval& time) const;
  void update_rest();
  Time storm_for_bystanders() const;
  /// Resolution of the searches.
  Time step() const { return ctx_.exact() ? kMillisecond / 10 : kMillisecond; }

  Context& ctx_;
  StormTrials trials_;
  Action action_ = Action::kNone;
  std::optional<Interval> detection_, restoration_;  ///< in milliseconds
  std::string restore_failure_;                      ///< why the time until restoration cannot be measured
  Time rest_ = StormTrials::kLongest;                ///< idle time after each trial
};

double in_ms(Time time) { return static_cast<double>(time) / kMillisecond; }

/// Evaluates the outcome of the first pause, which is the longest.
void WatchdogTest::note_first(const StormOutcome& seen) {
  if (seen.leaving) {
    action_ = Action::kForward;
    const double ms = in_ms(*seen.leaving);
    detection_ = Interval{ms, ms, ms};
  } else if (seen.dropped) {
    action_ = Action::kDrop;
    if (!seen.restored) return;
    const Time low = *seen.restored - std::min(*seen.restored, StormTrials::kWatchGap);
    restoration_ = Interval{in_ms(*seen.restored), in_ms(low), in_ms(*seen.restored)};
  }
}

/// Measures the detection time repeatedly, to find out how much it varies. Returns false if the rig failed.
bool WatchdogTest::repeat_detection() {
  constexpr unsigned kTrials = 10;
  std::vector<double> times{detection_->value};
  while (times.size() < ctx_.repetitions(kTrials)) {
    const auto seen = trials_.run(StormTrials::kLongest, StormTrials::kWatchGap);
    if (!seen) return false;
    if (seen->leaving) times.push_back(in_ms(*seen->leaving));
  }
  detection_ = median(times);
  return true;
}

/// Finds the time up to which `probe` passes. `probe` takes a time in units of step(). The result is in
/// milliseconds. Returns std::nullopt if the rig failed, or if no step failed.
std::optional<Interval> WatchdogTest::bracketed(const std::function<Probe(std::uint64_t)>& probe) const {
  const Bracket found = bisect(0, StormTrials::kLongest / step(), probe);
  if (!found.fail) return std::nullopt;
  const double low = in_ms(found.pass * step()), high = in_ms(*found.fail * step());
  return Interval{(low + high) / 2, low, high};
}

/// Finds the shortest pause that makes the switch drop frames. Returns false if the rig failed.
bool WatchdogTest::bisect_detection() {
  detection_ = bracketed([&](std::uint64_t steps) {
    return agreeing(ctx_, [&] {
      const auto seen = trials_.run(steps * step(), 0);
      if (!seen) return Probe::kVoid;
      return !seen->dropped ? Probe::kPass : Probe::kFail;
    });
  });
  return detection_.has_value();
}

/// Finds out for how long after the end of a long pause the switch ignores another pause. Returns false if
/// the rig failed.
bool WatchdogTest::bisect_restoration() {
  constexpr double kLonger = 1.5;
  if (detection_->low < kLonger * in_ms(trials_.second_pause())) {
    restore_failure_ = "the switch detects storms too fast for a second pause";
    return true;
  }
  const auto pause = static_cast<Time>(kLonger * detection_->high * kMillisecond);
  bool reached = true;
  restoration_ = bracketed([&](std::uint64_t steps) {
    return agreeing(ctx_, [&] {
      const auto ignores = trials_.ignores_next_pause(pause, steps * step());
      reached &= ignores.has_value();
      if (!ignores) return Probe::kVoid;
      return *ignores ? Probe::kPass : Probe::kFail;
    });
  });
  return reached;
}

/// Sets the idle time after each trial. As long as it is unknown when the watchdog's action ends, the idle
/// time is StormTrials::kLongest.
void WatchdogTest::update_rest() {
  if (restoration_) rest_ = 2 * static_cast<Time>(restoration_->high * kMillisecond);
  trials_.set_rest(rest_);
}

/// Returns the duration of the storm: long enough to show its effect on other traffic and, if the switch has
/// a watchdog, long enough for the watchdog to end the storm.
Time WatchdogTest::storm_for_bystanders() const {
  constexpr Time kStorm = kSecond / 2;
  if (action_ == Action::kNone) return kStorm;
  if (!detection_) return StormTrials::kLongest;
  const Time detected = static_cast<Time>(detection_->high * kMillisecond);
  return std::min(std::max(kStorm, 2 * detected), StormTrials::kLongest);
}

/// Measures the detection and restoration times of a watchdog, if there is one. Returns false if the rig
/// failed.
bool WatchdogTest::find_watchdog() {
  const auto seen = trials_.run(StormTrials::kLongest, StormTrials::kLongest);
  if (!seen) return false;
  note_first(*seen);
  if (action_ == Action::kNone) return true;
  update_rest();
  if (action_ == Action::kForward && !bisect_restoration()) return false;
  update_rest();
  // If the watchdog's action has not ended, the switch cannot begin a new action, so there is nothing to
  // repeat.
  if (!restoration_) return true;
  return action_ == Action::kForward ? repeat_detection() : bisect_detection();
}

void WatchdogTest::report_time(const char* name, const Interval& time) const {
  ctx_.add({.name = name,
            .value = time.value,
            .low = time.low,
            .high = time.high,
            .unit = "ms",
            .method = Method::kSearch});
}

void WatchdogTest::report_restoration() const {
  if (restoration_) return report_time("restore_ms", *restoration_);
  if (!restore_failure_.empty()) {
    ctx_.add_without_value("restore_ms", Status::kUnresolvable, restore_failure_);
    return;
  }
  ctx_.add({.name = "restore_ms",
            .value = in_ms(StormTrials::kLongest),
            .low = in_ms(StormTrials::kLongest),
            .unit = "ms",
            .method = Method::kSearch,
            .status = Status::kBounded,
            .reason = "the action had not ended 2 s after the storm"});
}

void WatchdogTest::report_watchdog() const {
  if (action_ == Action::kNone) {
    for (const char* name : {"detect_ms", "action", "restore_ms"})
      ctx_.add_without_value(name, Status::kAbsent, "the switch held frames back during a pause of 2 s");
    return;
  }
  if (detection_) {
    report_time("detect_ms", *detection_);
  } else {
    ctx_.add({.name = "detect_ms",
              .value = in_ms(StormTrials::kLongest),
              .high = in_ms(StormTrials::kLongest),
              .unit = "ms",
              .method = Method::kSearch,
              .status = Status::kBounded,
              .reason = "the action does not end soon enough to be repeated"});
  }
  ctx_.add(
      {.name = "action", .method = Method::kOrder, .text = action_ == Action::kDrop ? "drop" : "forward"});
  report_restoration();
}

void WatchdogTest::run() {
  if (!trials_.can_pause())
    return ctx_.unresolvable(
        "the switch obeys no pauses of port D for this class, so D cannot cause a storm");
  if (!find_watchdog()) return ctx_.inconclusive();
  report_watchdog();
  if (!measure_bystanders(ctx_, storm_for_bystanders(), rest_)) ctx_.inconclusive();
}

}  // namespace

void run_storm(Context& ctx) {
  if (ctx.rig.kind() != RigKind::kVirtual && !ctx.settings.allow_storm)
    return ctx.unresolvable("a storm may stop a whole network; `allow_storm: true` permits it");
  WatchdogTest(ctx).run();
}

}  // namespace softfeb::switchtest
