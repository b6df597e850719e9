// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/headroom_delay.hpp"

#include "switchtest/search.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace softfeb::switchtest {

namespace {

/// The longest delay that is tried. It corresponds to 100 km of cable.
constexpr Time kLongestDelay = kMillisecond;
constexpr Time kFinestStep = 100 * kNanosecond;
/// Each meter of cable delays both the pause frame and the last data frame by 5 ns.
constexpr double kNanosecondsPerMeter = 10;

/// A search for the longest delay with which port A may obey a pause without loss. The step of the search is
/// the accuracy of the rig, but at least kFinestStep.
class DelaySearch {
 public:
  DelaySearch(Context& ctx, HeadroomTrials& trials, const LeftForA& left)
      : ctx_(ctx), trials_(trials), left_(left), frames_(overfilling(left.frames)) {}
  bool run();

 private:
  /// The smallest errors (HeadroomTrials::Obeyed) among the trials with one delay.
  struct Errors {
    Time early = kNever, late = kNever;
  };

  Probe probe(std::uint64_t step);
  double early(std::uint64_t step) const;
  double late(std::uint64_t step) const;
  void without_value(const char* reason);
  void report_losses_at_once(const HeadroomTrials::Obeyed& seen);
  void report_found(const Bracket& found);
  void report(Figure figure);
  void report_curve();

  Context& ctx_;
  HeadroomTrials& trials_;
  LeftForA left_;
  std::uint64_t frames_;  ///< maximum number of frames that port A sends
  Time step_ = kFinestStep;
  std::map<std::uint64_t, Errors> passed_, failed_;  ///< errors of the trials by step
  std::map<std::uint64_t, std::uint64_t> lost_;      ///< lost frames by step
};

double nanoseconds(Time time) { return static_cast<double>(time) / kNanosecond; }

void note_errors(Time& early, Time& late, const HeadroomTrials::Obeyed& seen) {
  early = std::min(early, seen.early);
  late = std::min(late, seen.late);
}

Probe DelaySearch::probe(std::uint64_t step) {
  return agreeing(ctx_, [&] {
    const auto seen = trials_.obeyed_after(step * step_, frames_);
    if (!seen) return Probe::kVoid;
    Errors& errors = (seen->lost == 0 ? passed_ : failed_)[step];
    note_errors(errors.early, errors.late, *seen);
    lost_[step] = std::max(lost_[step], seen->lost);
    return seen->lost == 0 ? Probe::kPass : Probe::kFail;
  });
}

/// Returns the time by which port A may have waited less than its nominal delay in a trial that passed.
double DelaySearch::early(std::uint64_t step) const {
  const auto errors = passed_.find(step);
  return errors == passed_.end() ? 0 : nanoseconds(errors->second.early);
}

/// Returns the time by which port A may have waited longer than its nominal delay in a trial that failed.
double DelaySearch::late(std::uint64_t step) const {
  const auto errors = failed_.find(step);
  return errors == failed_.end() ? 0 : nanoseconds(errors->second.late);
}

/// Adds the figures `tolerated_ns` and `extra_cable_m`. `figure` contains the delay in nanoseconds, from
/// which the length of cable is computed.
void DelaySearch::report(Figure figure) {
  figure.name = "tolerated_ns";
  figure.unit = "ns";
  figure.method = Method::kSearch;
  Figure cable = ctx_.add(std::move(figure));
  cable.name = "extra_cable_m";
  cable.unit = "m";
  for (std::optional<double>* side : {&cable.value, &cable.low, &cable.high})
    if (*side) **side /= kNanosecondsPerMeter;
  ctx_.add(std::move(cable));
}

void DelaySearch::without_value(const char* reason) {
  for (const char* name : {"tolerated_ns", "extra_cable_m"})
    ctx_.add_without_value(name, Status::kUnresolvable, reason);
}

void DelaySearch::report_losses_at_once(const HeadroomTrials::Obeyed& seen) {
  const double most = late(0);
  std::string reason = std::to_string(seen.lost) + " of " + std::to_string(seen.sent) +
                       " frames are lost although A obeys pauses at once";
  if (left_.frames == 0) reason = "the switch takes no frame from A when C has filled the memory";
  report({.value = most, .high = most, .status = Status::kBounded, .reason = std::move(reason)});
}

void DelaySearch::report_found(const Bracket& found) {
  const double pass = nanoseconds(found.pass * step_);
  const bool failed = found.fail && (!found.unreached || *found.unreached >= *found.fail);
  Figure out{.value = pass, .low = pass - early(found.pass)};
  if (failed) out.high = nanoseconds(*found.fail * step_) + late(*found.fail);
  if (!left_.headroom) {
    if (!failed) return without_value("C may have left memory to A, so that A has more than its headroom");
    out.value = out.high;
    out.low = std::nullopt;
    out.status = Status::kBounded;
    out.reason = "C may have left memory that another sender could take";
  } else if (!failed) {
    out.status = Status::kBounded;
    out.reason = found.unreached ? "the rig failed with longer delays: " + ctx_.last_void_reason()
                                 : "longer delays than 1 ms were not tried";
  }
  report(std::move(out));
}

void DelaySearch::report_curve() {
  Curve curve{.name = "headroom",
              .label = "",
              .x_name = "delay after which A obeys",
              .x_unit = "us",
              .y_name = "lost frames",
              .y_unit = "",
              .points = {}};
  for (const auto& [step, lost] : lost_)
    curve.points.push_back({nanoseconds(step * step_) / 1000, static_cast<double>(lost), {}, {}});
  ctx_.report.curves.push_back(std::move(curve));
}

bool DelaySearch::run() {
  const auto first = trials_.obeyed_after(0, frames_);
  if (!first) return false;
  if (!first->understood || first->sent == 0) {
    without_value(first->sent == 0 ? "the switch pauses A before A sends a frame"
                                   : "the switch pauses another PFC priority than that of the frames");
    return true;
  }
  const Probe at_once = probe(0);
  const auto errors = passed_.find(0);
  const Time error = errors == passed_.end() ? first->early : std::min(first->early, errors->second.early);
  step_ = std::max(kFinestStep, (error + kFinestStep - 1) / kFinestStep * kFinestStep);
  if (at_once == Probe::kVoid) return false;
  if (at_once == Probe::kFail) {
    report_losses_at_once(*first);
  } else {
    report_found(
        bisect(0, std::max(kLongestDelay / step_, Time{1}), [&](std::uint64_t step) { return probe(step); }));
  }
  report_curve();
  return true;
}

}  // namespace

bool report_tolerated_delay(Context& ctx, HeadroomTrials& trials, const LeftForA& left) {
  return DelaySearch(ctx, trials, left).run();
}

}  // namespace softfeb::switchtest
