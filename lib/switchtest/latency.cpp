// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/wire_time.hpp"
#include "switchtest/context.hpp"
#include "switchtest/delays.hpp"
#include "switchtest/search.hpp"
#include "switchtest/tests.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

namespace softfeb::switchtest {

namespace {

constexpr std::uint64_t kLoadSteps = 1'000;  ///< number of load steps of the search, up to line rate
constexpr std::array<unsigned, 4> kLoadPercent{10, 50, 90, 100};

/// The test `latency`: measures the delays of frames from port A to port D.
class LatencyTest {
 public:
  explicit LatencyTest(Context& ctx)
      : ctx_(ctx), slower_(std::min(ctx.rate(ctx.roles().a), ctx.rate(ctx.roles().d))) {}
  void run();

 private:
  /// Delays of frames of one size at one load.
  struct Point {
    std::uint32_t size = 0;  ///< with FCS
    unsigned percent = 0;    ///< load in percent of the largest load without loss
    DelayStats delays;
    std::uint64_t sent = 0, lost = 0;
  };

  std::optional<TrialResult> stream(std::uint32_t size, double load, Time time);
  std::optional<double> load_without_loss(std::uint32_t size);
  std::optional<Point> measure(std::uint32_t size, unsigned percent, double load);
  void report(const Point& point);
  void report_without_reference(const Point& point);
  void report_failure(std::uint32_t size, unsigned percent);
  void report_fit();
  void add_curves();
  Figure figure(const Point& point, const std::string& name, const Interval& ns) const;

  Context& ctx_;
  std::uint64_t slower_;
  std::vector<Point> points_;
};

/// Runs a stream at `load` times the rate of the slower port. A virtual rig needs only a few frames.
std::optional<TrialResult> LatencyTest::stream(std::uint32_t size, double load, Time time) {
  constexpr std::uint64_t kEnough = 5'000;
  Trial trial = ctx_.trial();
  trial.obedience.assign(ctx_.rig.ports().size(), {.obeys = false});
  trial.kinds.push_back(ctx_.frame(ctx_.roles().d, size));
  const auto gap =
      static_cast<Time>(static_cast<double>(time_on_wire(trial.kinds[0].length, slower_)) / load + 0.5);
  Source source{.port = ctx_.roles().a, .kinds = {0}, .start = ctx_.rig.settle(), .gap = gap};
  source.count = std::max<std::uint64_t>(2, time / gap);
  if (ctx_.exact()) source.count = std::min(source.count, kEnough);
  constexpr Time kLongestQueue = 10 * kMillisecond;
  trial.end = source.start + source.count * gap + kLongestQueue + ctx_.rig.settle();
  trial.sources.push_back(source);
  return ctx_.run_valid(trial);
}

/// Returns the load that the test `throughput` found. If there is none, searches for the largest load at
/// which all frames arrive as fast as they are sent. Returns std::nullopt if the rig failed.
std::optional<double> LatencyTest::load_without_loss(std::uint32_t size) {
  if (const auto it = ctx_.findings.load.find(size); it != ctx_.findings.load.end() && it->second > 0)
    return it->second;
  const Time time = ctx_.duration(kSecond, kSecond);
  const Bracket found = bisect(0, kLoadSteps, [&](std::uint64_t steps) {
    return agreeing(ctx_, [&] {
      const auto result = stream(size, static_cast<double>(steps) / kLoadSteps, time);
      if (!result) return Probe::kVoid;
      const KindStats& s = result->kinds[0];
      if (s.missing() != 0) return Probe::kFail;
      const Time sending = s.last_departure - s.first_departure, receiving = s.last_arrival - s.first_arrival;
      return receiving <= sending + sending / (2 * kLoadSteps) ? Probe::kPass : Probe::kFail;
    });
  });
  if (found.pass == 0 && found.unreached) return std::nullopt;
  // If frames are lost at every load, measure at full load. The delays are then the delays of the frames that
  // arrive.
  return found.pass == 0 ? 1 : static_cast<double>(found.pass) / kLoadSteps;
}

std::optional<LatencyTest::Point> LatencyTest::measure(std::uint32_t size, unsigned percent, double load) {
  constexpr unsigned kParts = 5, kRfcTrials = 20;
  const bool rfc = ctx_.settings.effort == Effort::kRfc && !ctx_.exact();
  const Time time = ctx_.duration(10 * kSecond / kParts, 120 * kSecond);
  Point out{.size = size, .percent = percent};
  std::vector<DelayStats> trials;
  for (unsigned i = 0; i < (rfc ? kRfcTrials : ctx_.repetitions(kParts)); ++i) {
    const auto result = stream(size, load * percent / 100, time);
    if (!result) return std::nullopt;
    trials.push_back(delay_stats(result->latency[0], result->kinds[0].delay_variation_max));
    out.sent += result->kinds[0].sent;
    out.lost += result->kinds[0].missing();
  }
  out.delays = combined(trials);
  return out;
}

Figure LatencyTest::figure(const Point& point, const std::string& name, const Interval& ns) const {
  Figure out{.name = name,
             .labels = {{"size", std::to_string(point.size)}, {"load", std::to_string(point.percent)}},
             .unit = "ns",
             .method = Method::kMean};
  if (point.lost == point.sent) {
    out.status = Status::kUnresolvable;
    out.reason = "all frames were lost";
    return out;
  }
  out.value = ns.value;
  out.low = ns.low;
  out.high = ns.high;
  if (point.lost != 0)
    out.reason = std::to_string(point.lost) + " of " + std::to_string(point.sent) + " frames were lost";
  return out;
}

/// Reports the delays without the delay of the rig itself. The delay variation is a difference, so nothing is
/// subtracted from it.
void LatencyTest::report(const Point& point) {
  const auto own = ctx_.rig.own_delay();
  if (!own) return report_without_reference(point);
  const double ns = static_cast<double>(*own) / kNanosecond;
  for (std::size_t i = 0; i < kDelayNames.size(); ++i) {
    const Interval& v = point.delays[i];
    const bool difference = i + 1 == kDelayNames.size();
    ctx_.add(figure(point, std::string(kDelayNames[i]) + "_ns",
                    difference ? v : Interval{v.value - ns, v.low - ns, v.high - ns}));
  }
}

/// Reports only differences between delays, because the delay of the rig itself is unknown.
void LatencyTest::report_without_reference(const Point& point) {
  const Interval& least = point.delays.front();
  Figure unknown = figure(point, "min_ns", {});
  unknown.value = unknown.low = unknown.high = std::nullopt;
  unknown.status = Status::kUnresolvable;
  unknown.reason = "the delay of the rig itself was not measured over a cable";
  ctx_.add(unknown);
  for (std::size_t i = 1; i + 1 < kDelayNames.size(); ++i) {
    const Interval& v = point.delays[i];
    ctx_.add(figure(point, std::string(kDelayNames[i]) + "_over_min_ns",
                    {v.value - least.value, v.low - least.high, v.high - least.low}));
  }
  ctx_.add(figure(point, "ipdv_ns", point.delays.back()));
}

/// Reports that the rig failed at a load, and therefore at all higher loads.
void LatencyTest::report_failure(std::uint32_t size, unsigned percent) {
  for (const unsigned p : kLoadPercent)
    if (p >= percent)
      ctx_.add_without_value(ctx_.rig.own_delay() ? "p99_ns" : "p99_over_min_ns", Status::kInconclusive,
                             ctx_.last_void_reason())
          .labels = {{"size", std::to_string(size)}, {"load", std::to_string(p)}};
}

/// Fits a line to the smallest delays at the lowest load, at which frames do not wait.
void LatencyTest::report_fit() {
  std::vector<double> bytes, ns;
  for (const Point& p : points_) {
    if (p.percent != kLoadPercent.front() || p.lost == p.sent) continue;
    bytes.push_back(static_cast<double>(fabric::wire_bytes(p.size - kFcsSize)));
    ns.push_back(p.delays.front().value);
  }
  if (bytes.size() < 2) {
    for (const char* name : {"fixed_ns", "serializations", "forwarding"})
      ctx_.add_without_value(name, Status::kUnresolvable, "the fit needs at least two sizes");
    return;
  }
  const Serialization fit =
      fit_serialization(bytes, ns, ctx_.rate(ctx_.roles().a), ctx_.rate(ctx_.roles().d));
  if (const auto own = ctx_.rig.own_delay()) {
    const double o = static_cast<double>(*own) / kNanosecond;
    ctx_.add({.name = "fixed_ns",
              .value = fit.fixed.value - o,
              .low = fit.fixed.low - o,
              .high = fit.fixed.high - o,
              .unit = "ns",
              .method = Method::kFit});
  } else {
    ctx_.add_without_value("fixed_ns", Status::kUnresolvable,
                           "the delay of the rig itself was not measured over a cable");
  }
  ctx_.add({.name = "serializations",
            .value = fit.count.value,
            .low = fit.count.low,
            .high = fit.count.high,
            .method = Method::kFit});
  const char* const forwarding = forwarding_of(fit);
  if (forwarding == nullptr) {
    ctx_.add_without_value("forwarding", Status::kUnresolvable,
                           "the delay grows with the length neither as in one store-and-forward switch nor "
                           "as in cut-through");
  } else {
    ctx_.add({.name = "forwarding", .method = Method::kFit, .text = forwarding});
  }
}

/// Adds a curve of the delay by frame size for each quantile and load.
void LatencyTest::add_curves() {
  const double own = static_cast<double>(ctx_.rig.own_delay().value_or(0)) / kNanosecond;
  for (const unsigned percent : kLoadPercent)
    for (const std::size_t i : {std::size_t{0}, std::size_t{2}, std::size_t{4}, std::size_t{6}}) {
      Curve curve{.name = "latency",
                  .label = std::string(kDelayNames[i]) + " at " + std::to_string(percent) + " % load",
                  .x_name = "frame size",
                  .x_unit = "B",
                  .y_name = "delay",
                  .y_unit = "ns",
                  .points = {}};
      for (const Point& p : points_) {
        if (p.percent != percent || p.lost == p.sent) continue;
        const Interval& v = p.delays[i];
        curve.points.push_back({static_cast<double>(p.size), v.value - own, v.low - own, v.high - own});
      }
      ctx_.report.curves.push_back(std::move(curve));
    }
}

void LatencyTest::run() {
  for (const std::uint32_t size : ctx_.sizes(ctx_.roles().a, ctx_.roles().d)) {
    const auto load = load_without_loss(size);
    for (const unsigned percent : kLoadPercent) {
      const auto point = load ? measure(size, percent, *load) : std::nullopt;
      if (!point) {
        report_failure(size, percent);
        break;  // the rig does not reach the higher loads either
      }
      points_.push_back(*point);
      report(*point);
    }
  }
  if (points_.empty()) return ctx_.inconclusive();
  report_fit();
  add_curves();
}

}  // namespace

void run_latency(Context& ctx) { LatencyTest(ctx).run(); }

}  // namespace softfeb::switchtest
