// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/cnp_forge.hpp"

#include "switchtest/boards.hpp"
#include "switchtest/estimators.hpp"
#include "switchtest/search.hpp"

#include <algorithm>
#include <string>

namespace softfeb::switchtest {

namespace {

class ForgeSearch {
 public:
  explicit ForgeSearch(Context& ctx);
  void run();

 private:
  static constexpr std::uint64_t kSteps = 1'000;  ///< number of load steps, up to the rate of the slower port
  /// Two loads, in units of 1/kSteps of the rate of the slower port. `pass` is the largest load without CNPs,
  /// and `fail` is the smallest load with CNPs.
  struct Loads {
    std::uint64_t pass = 0, fail = 0;
  };

  std::optional<std::vector<Cnp>> cnps_at(std::uint64_t steps, Time time);
  Probe probe(std::uint64_t steps, Time time);
  Loads validated(Loads found);
  bool sweep();
  double gigabits(std::uint64_t steps) const;
  void report_load(const Loads& found);
  void report_interval();

  Context& ctx_;
  std::uint32_t size_;
  std::uint64_t line_;  ///< rate of the slower port, in bytes per second on the wire
  Time gap_;            ///< gap between frames at full load
  Time time_;
  std::optional<std::uint64_t> first_;  ///< smallest load of the sweep with CNPs
  std::uint64_t none_ = 0;              ///< largest load of the sweep without CNPs, below `first_`
};

ForgeSearch::ForgeSearch(Context& ctx)
    : ctx_(ctx),
      size_(std::min<std::uint32_t>(1026, ctx.large_size(ctx.roles().a, ctx.roles().d))),
      line_(std::min(ctx.rate(ctx.roles().a), ctx.rate(ctx.roles().d))),
      gap_(time_on_wire(size_ - kFcsSize, line_)),
      time_(std::max(10 * kMillisecond, ctx.duration(100 * kMillisecond, kSecond))) {}

double ForgeSearch::gigabits(std::uint64_t steps) const {
  return 8e-9 * static_cast<double>(line_) * static_cast<double>(steps) / static_cast<double>(kSteps);
}

/// Returns the CNPs that arrived under this load, or std::nullopt if no trial was valid.
std::optional<std::vector<Cnp>> ForgeSearch::cnps_at(std::uint64_t steps, Time time) {
  Trial trial = ctx_.trial();
  trial.kinds.push_back(board_frame(ctx_, 0, size_));
  trial.sources.push_back({.port = ctx_.roles().a, .kinds = {0}, .end = time, .gap = gap_ * kSteps / steps});
  trial.answers = Answers{.cnps = false};
  trial.end = time + 10 * kMillisecond + ctx_.rig.settle();
  auto result = ctx_.run_valid(trial);
  if (!result) return std::nullopt;
  return std::move(result->cnps);
}

/// A load passes if no CNPs arrived.
Probe ForgeSearch::probe(std::uint64_t steps, Time time) {
  return agreeing(ctx_, [&] {
    const auto cnps = cnps_at(steps, time);
    if (!cnps) return Probe::kVoid;
    return cnps->empty() ? Probe::kPass : Probe::kFail;
  });
}

/// Measures the rate of CNPs at 50 to 100 % load. Returns false if no trial was valid.
bool ForgeSearch::sweep() {
  constexpr std::uint64_t kFirst = 500, kStride = 100;
  Curve curve{.name = "forge",
              .label = std::to_string(size_) + " bytes",
              .x_name = "load on the wire",
              .x_unit = "Gb/s",
              .y_name = "CNPs of the switch",
              .y_unit = "1/s",
              .points = {}};
  for (std::uint64_t steps = kFirst; steps <= kSteps; steps += kStride) {
    const auto cnps = cnps_at(steps, time_);
    if (!cnps) return false;
    const double rate = static_cast<double>(cnps->size() * kSecond) / static_cast<double>(time_);
    curve.points.push_back({.x = gigabits(steps), .y = rate});
    if (!cnps->empty() && !first_) first_ = steps;
    if (!first_) none_ = steps;
  }
  ctx_.report.curves.push_back(std::move(curve));
  return true;
}

/// Tests the largest load that caused no CNPs again, for a longer time, and decreases the load until no CNPs
/// arrive. A switch may count whole frames in windows of time. Such a switch sends CNPs only occasionally if
/// the load is just above its threshold.
ForgeSearch::Loads ForgeSearch::validated(Loads found) {
  constexpr Time kLonger = 10;
  while (found.pass != 0 && probe(found.pass, kLonger * time_) == Probe::kFail) found.fail = found.pass--;
  return found;
}

void ForgeSearch::report_load(const Loads& found) {
  Figure figure{.name = "forge_gbps",
                .labels = {{"size", std::to_string(size_)}},
                .unit = "Gb/s",
                .method = Method::kSearch};
  if (found.pass == 0) {
    figure.value = figure.high = gigabits(found.fail);
    figure.status = Status::kBounded;
    figure.reason = found.fail == 1 ? "CNPs came at the smallest load, too"
                                    : "smaller loads were void: " + ctx_.last_void_reason();
  } else {
    figure.value = figure.low = gigabits(found.pass);
    figure.high = gigabits(found.fail);
  }
  ctx_.add(figure);
}

/// Adds the intervals between CNPs at full load.
void ForgeSearch::report_interval() {
  const auto cnps = cnps_at(kSteps, time_);
  if (!cnps) return ctx_.inconclusive();
  std::vector<double> intervals;
  for (std::size_t i = 1; i < cnps->size(); ++i)
    intervals.push_back(static_cast<double>((*cnps)[i].at - (*cnps)[i - 1].at) / kMicrosecond);
  if (intervals.empty()) {
    ctx_.add_without_value("forge_interval_us", Status::kUnresolvable,
                           "fewer than two CNPs came at full load");
    return;
  }
  const Interval spread = median(std::move(intervals));
  ctx_.add({.name = "forge_interval_us",
            .labels = {{"size", std::to_string(size_)}},
            .value = spread.value,
            .low = spread.low,
            .high = spread.high,
            .unit = "us",
            .method = Method::kMean});
}

void ForgeSearch::run() {
  if (!sweep()) return ctx_.inconclusive();
  if (!first_) {
    for (const char* name : {"forge_gbps", "forge_interval_us"})
      ctx_.add_without_value(name, Status::kAbsent,
                             "no CNPs came at 50 to 100 % load while the receiver sent none");
    return;
  }
  const Bracket found = bisect(none_, *first_ - 1, [&](std::uint64_t steps) { return probe(steps, time_); });
  report_load(validated({found.pass, found.fail.value_or(*first_)}));
  report_interval();
}

}  // namespace

void find_forged_cnps(Context& ctx) { ForgeSearch(ctx).run(); }

}  // namespace softfeb::switchtest
