// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/context.hpp"
#include "switchtest/mesh.hpp"
#include "switchtest/recheck.hpp"
#include "switchtest/soak_log.hpp"
#include "switchtest/tests.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

namespace softfeb::switchtest {

namespace {

constexpr double kSoakLoad = 0.8;
constexpr Time kMinute = 60 * kSecond;
constexpr Time kHour = 60 * kMinute;

/// The timing of the test `soak`.
struct SoakPlan {
  Time total = 0;
  Time sample = 0;   ///< interval between samples; each sample is a trial
  Time traffic = 0;  ///< time in each sample during which frames are sent
  Time recheck = 0;  ///< interval between repetitions of other tests; 0 means no repetitions
};

/// Samples are one minute apart, or less if the test is short. If the test takes more than a day, the
/// interval is longer, so that the number of samples and the memory for them stay limited.
SoakPlan plan_soak(const Context& ctx, const Mesh& mesh) {
  constexpr Time kQuickSoak = 10 * kSecond;
  constexpr std::uint64_t kFewestSamples = 5, kMostSamples = 1'440, kMostRechecks = 100;
  SoakPlan out;
  out.total = ctx.quick() ? std::min(ctx.settings.soak, kQuickSoak) : ctx.settings.soak;
  out.sample =
      std::max({std::min(kMinute, out.total / kFewestSamples), out.total / kMostSamples, kMicrosecond});
  // In real time, frames may leave late, and need some time to arrive.
  const Time rest = ctx.rig.settle() + (ctx.exact() ? 10 : 300) * kMillisecond;
  out.traffic = out.sample - std::min(out.sample / 10, rest);
  if (out.total >= kHour) out.recheck = std::max(kHour, out.total / kMostRechecks);
  if (!ctx.exact()) return out;
  // Simulating all frames of a day would take months. The delays and losses of a virtual rig do not change
  // over time, so it is sufficient to send frames during a part of each sample.
  constexpr double kFrames = 1e6, kQuickFrames = 1e5, kRfcFrames = 3e7;
  const double frames = ctx.quick()                           ? kQuickFrames
                        : ctx.settings.effort == Effort::kRfc ? kRfcFrames
                                                              : kFrames;
  const double samples = static_cast<double>(out.total) / static_cast<double>(out.sample);
  const double seconds = frames / samples / mesh.frame_rate();
  out.traffic = std::min(out.traffic, static_cast<Time>(seconds * static_cast<double>(kSecond)));
  if (out.recheck != 0) out.recheck = std::max(out.recheck, out.total / 2);
  return out;
}

/// Adds up the counts of all kinds, because separate records for a whole day would need much memory.
void combine_kinds(TrialRecord& record) {
  TrialRecord::Counts sum;
  for (const TrialRecord::Counts& kind : record.kinds) {
    sum.sent += kind.sent;
    sum.arrived += kind.arrived;
    sum.duplicated += kind.duplicated;
    sum.reordered += kind.reordered;
    sum.damaged += kind.damaged;
    for (std::size_t i = 0; i < sum.ecn.size(); ++i) sum.ecn[i] += kind.ecn[i];
  }
  record.kinds = {sum};
}

/// A long run under load in which every frame is accounted for.
class Soak {
 public:
  explicit Soak(Context& ctx)
      : ctx_(ctx), mesh_(ctx, kSoakLoad), plan_(plan_soak(ctx, mesh_)), began_(ctx.rig.now()) {}
  void run();

 private:
  Time elapsed() const { return ctx_.rig.now() - began_; }
  void loop();
  void take_sample();
  void repeat_tests();
  void report();
  void report_counts();
  void report_delays();
  void list_missing();
  void draw_samples();

  Context& ctx_;
  Mesh mesh_;
  SoakPlan plan_;
  Time began_;
  SoakLog log_;
  Recheck recheck_;
  std::uint64_t void_samples_ = 0;
  std::uint64_t unexplained_ = 0;   ///< missing frames in samples in which the rig may have lost them
  std::string unexplained_reason_;  ///< TrialResult::disturbance of the latest of these samples
  Time sent_for_ = 0;               ///< total time in valid samples during which frames were sent
};

void Soak::take_sample() {
  Trial trial = ctx_.trial();
  mesh_.add(ctx_, trial, plan_.traffic);
  trial.list_missing = trial.counts_only = true;
  trial.end = plan_.sample;
  const Time from = elapsed();
  TrialResult result = ctx_.run(trial);
  combine_kinds(ctx_.report.trials.back());
  if (!result.valid()) {
    ++void_samples_;
    return;
  }
  std::uint64_t missing = 0;
  for (const KindStats& kind : result.kinds) missing += kind.missing();
  if (missing != 0 && !result.disturbance.empty()) {
    // After an interruption, the rig's loop sends the delayed frames at line rate. The switch may then be
    // overloaded, so the cause of missing frames is unknown.
    ++void_samples_;
    unexplained_ += missing;
    unexplained_reason_ = result.disturbance;
    ctx_.reject(result.disturbance);
    return;
  }
  sent_for_ += plan_.traffic;
  log_.add(result, from, elapsed());
}

void Soak::repeat_tests() { recheck_.run(ctx_, {"ecn", "xoff"}, elapsed()); }

void Soak::loop() {
  Time next_recheck = plan_.recheck == 0 ? kNever : 0;
  while (elapsed() < plan_.total) {
    if (elapsed() >= next_recheck) {
      repeat_tests();
      next_recheck += plan_.recheck;
    }
    take_sample();
  }
  if (plan_.recheck != 0) repeat_tests();
}

void Soak::report_counts() {
  const KindStats& totals = log_.totals();
  const auto add = [&](const char* name, std::uint64_t count) -> Figure& {
    const auto value = static_cast<double>(count);
    return ctx_.add({.name = name, .value = value, .low = value, .high = value, .unit = "frames"});
  };
  add("frames", totals.sent);
  Figure& missing = add("missing", totals.missing());
  if (unexplained_ != 0) {
    missing.high.reset();
    missing.status = Status::kBounded;
    missing.reason =
        std::to_string(unexplained_) + " frames are missing in samples in which " + unexplained_reason_;
  }
  if (totals.missing() > log_.missing().size())
    missing.reason = "only " + std::to_string(log_.missing().size()) + " missing frames are listed";
  const Interval loss = wilson(totals.missing(), totals.sent);
  ctx_.add({.name = "loss",
            .value = loss.value,
            .low = loss.low,
            .high = totals.missing() == 0 ? loss_limit(totals.sent) : loss.high,
            .method = Method::kMean});
  add("duplicated", totals.duplicated);
  add("reordered", totals.reordered);
  add("damaged", totals.damaged);
  add("misdelivered", totals.misdelivered + log_.foreign());
  const double share = 100 * to_seconds(sent_for_) / to_seconds(std::max<Time>(elapsed(), 1));
  const double samples = static_cast<double>(std::max<std::size_t>(log_.samples().size(), 1));
  const double disturbed = 100 * static_cast<double>(log_.disturbed()) / samples;
  ctx_.add({.name = "disturbed", .value = disturbed, .low = disturbed, .high = disturbed, .unit = "%"});
  Figure duty{.name = "duty", .value = share, .low = share, .high = share, .unit = "%"};
  if (ctx_.exact()) duty.reason = "in virtual time, each sample sends frames during a part of its time only";
  ctx_.add(duty);
}

void Soak::report_delays() {
  std::vector<double> p99;
  for (const SoakLog::Sample& s : log_.samples())
    if (s.max != 0) p99.push_back(s.p99);
  const auto drift = log_.drift();
  if (!drift) {
    for (const char* const name : {"p99_ns", "p99_drift", "p99_variation"})
      ctx_.add_without_value(name, log_.disturbed() == 0 ? Status::kUnresolvable : Status::kInconclusive,
                             "fewer than three samples have delays");
    return;
  }
  const Interval range = median(p99);
  const auto add = [&](const char* name, const Interval& v, const char* unit, Method method) {
    ctx_.add({.name = name, .value = v.value, .low = v.low, .high = v.high, .unit = unit, .method = method});
  };
  add("p99_ns", range, "ns", Method::kMean);
  add("p99_drift", *drift, "ns/h", Method::kFit);
  // If a sample has fewer than kEnoughFrames frames, the 99th percentile depends on only a few frames, and
  // varies by chance.
  constexpr std::uint64_t kEnoughFrames = 10'000;
  const std::uint64_t frames = log_.totals().arrived / log_.samples().size();
  if (frames < kEnoughFrames) {
    ctx_.add_without_value(
        "p99_variation", Status::kUnresolvable,
        "a sample has only " + std::to_string(frames) + " frames, too few for an accurate 99th percentile");
    return;
  }
  const double variation = 100 * (range.high - range.low) / range.value;
  add("p99_variation", {variation, variation, variation}, "%", Method::kMean);
}

/// Adds a curve for each kind with missing frames. For each missing frame, the curve has a point: x is the
/// time before which the frame departed, and y is the sequence number of the frame.
void Soak::list_missing() {
  std::map<std::uint16_t, Curve> curves;
  for (const SoakLog::Missing& f : log_.missing()) {
    Curve& curve = curves[f.kind];
    curve.points.push_back({.x = to_seconds(f.before), .y = static_cast<double>(f.sequence)});
  }
  for (auto& [kind, curve] : curves) {
    curve.name = "missing";
    curve.label = mesh_.name(kind);
    curve.x_name = "departed before";
    curve.x_unit = "s";
    curve.y_name = "sequence number";
    ctx_.report.curves.push_back(std::move(curve));
  }
}

void Soak::draw_samples() {
  const auto draw = [&](const char* name, const char* label, const char* y_name, const char* unit,
                        auto value) {
    Curve curve{.name = name,
                .label = label,
                .x_name = "time",
                .x_unit = "h",
                .y_name = y_name,
                .y_unit = unit,
                .points = {}};
    for (const SoakLog::Sample& s : log_.samples())
      if (const auto y = value(s)) curve.points.push_back({.x = to_seconds(s.at) / 3600, .y = *y});
    ctx_.report.curves.push_back(std::move(curve));
  };
  const auto delay = [](const SoakLog::Sample& s, double y) {
    return s.max == 0 ? std::nullopt : std::optional(y);
  };
  draw("soak", "p50", "delay", "ns", [&](const auto& s) { return delay(s, s.p50); });
  draw("soak", "p99", "delay", "ns", [&](const auto& s) { return delay(s, s.p99); });
  draw("soak", "maximum", "delay", "ns", [&](const auto& s) { return delay(s, s.max); });
  draw("soak_missing", "missing", "frames", "",
       [](const auto& s) { return std::optional(static_cast<double>(s.missing)); });
}

void Soak::report() {
  if (void_samples_ > log_.samples().size() || log_.samples().empty()) return ctx_.inconclusive();
  report_counts();
  report_delays();
  recheck_.report(ctx_);
  list_missing();
  draw_samples();
}

void Soak::run() {
  try {
    loop();
  } catch (const Interrupted&) {
    if (!log_.samples().empty()) report();
    throw;
  }
  report();
}

}  // namespace

void run_soak(Context& ctx) { Soak(ctx).run(); }

}  // namespace softfeb::switchtest
