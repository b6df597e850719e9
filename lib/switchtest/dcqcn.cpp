// SPDX-License-Identifier: BSD-3-Clause
#include "base/rng.hpp"
#include "switchtest/board_rates.hpp"
#include "switchtest/boards.hpp"
#include "switchtest/cnp_forge.hpp"
#include "switchtest/cnp_reaction.hpp"
#include "switchtest/estimators.hpp"
#include "switchtest/tests.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace softfeb::switchtest {

namespace {

/// An incast of emulated boards. In the first phase, there is one board at each sender; in the second phase,
/// there is an additional board at each sender. An additional board shares the link of the first board, so
/// its line rate is half the rate of the port. At a higher line rate, it would accumulate credit that it
/// cannot use on a shared link, and would later send a burst that a board with a link of its own does not
/// send.
class BoardIncast {
 public:
  BoardIncast(Context& ctx, std::vector<std::uint16_t> senders);
  /// Returns the reason why the senders cannot overload port D evenly; empty if they can.
  std::string obstacle() const;
  void run();

 private:
  static constexpr Time kSample = kMillisecond;
  /// Number of consecutive samples for which the boards must have their fair shares to count as converged.
  static constexpr std::size_t kShareWindow = 10;
  /// Number of samples at the end of each phase from which the shares are computed.
  static constexpr std::size_t kMeasureWindow = 100;

  struct Phase {
    std::size_t boards = 0;
    Time begin = 0, end = 0;
    SeriesRange samples() const { return {begin / kSample, end / kSample}; }
  };
  /// Results of one phase in all runs.
  struct Seen {
    std::vector<double> converged_ms, jain, use, pauses;
    unsigned not_converged = 0;
  };

  Trial shifted(unsigned run) const;
  void take(const TrialResult& result);
  void take_phase(const TrialResult& result, std::size_t phase);
  void report_phase(std::size_t phase);
  void report_totals();
  void add_curves(const TrialResult& result);
  void add_spread(const Phase& phase, const char* name, std::vector<double> values, const char* unit);

  Context& ctx_;
  std::vector<std::uint16_t> senders_;
  Trial trial_;
  std::vector<Phase> phases_;
  std::vector<Seen> seen_;
  std::vector<double> lost_;
  CnpFate fate_;
  double frame_time_ = 0;  ///< time that a frame takes on the link of port D, in units of kSample
};

BoardIncast::BoardIncast(Context& ctx, std::vector<std::uint16_t> senders)
    : ctx_(ctx), senders_(std::move(senders)), trial_(ctx.trial()) {
  constexpr Time kStandard = 300 * kMillisecond, kQuick = 150 * kMillisecond, kRfc = kSecond;
  const Time length = ctx.quick() ? kQuick : ctx.settings.effort == Effort::kRfc ? kRfc : kStandard;
  trial_.answers = Answers{};
  trial_.series_interval = kSample;
  for (std::size_t p = 0; p < 2; ++p) {
    const Time begin = p * length;
    for (const std::uint16_t port : senders_)
      add_board(ctx, trial_, port, ctx.rate(port) / (p + 1), begin, 2 * length);
    phases_.push_back({trial_.kinds.size(), begin, begin + length});
  }
  trial_.end = 2 * length + 20 * kMillisecond + ctx.rig.settle();
  seen_.resize(phases_.size());
  frame_time_ = static_cast<double>(time_on_wire(trial_.kinds.front().length, ctx.rate(ctx.roles().d))) /
                static_cast<double>(kSample);
}

std::string BoardIncast::obstacle() const {
  if (senders_.size() < 2) return "boards at one port cannot compete for another; this needs two senders";
  const double fair = static_cast<double>(ctx_.rate(ctx_.roles().d)) / static_cast<double>(senders_.size());
  for (const std::uint16_t port : senders_)
    if (static_cast<double>(ctx_.rate(port)) < 1.1 * fair)
      return "port " + ctx_.rig.ports()[port].name + " is slower than the fair share of its boards";
  return {};
}

/// Returns the trial of run number `run`. The start times of the boards are different in each run. With equal
/// start times, a virtual rig would produce identical figures in each run. Because DCQCN is chaotic,
/// identical figures would suggest an accuracy that the figures do not have.
Trial BoardIncast::shifted(unsigned run) const {
  constexpr Time kMost = 100 * kMicrosecond;
  Trial out = trial_;
  if (run == 0) return out;
  for (Source& source : out.sources) source.start += Rng(Rng::mixed(source.seed, run, 0)).below(kMost);
  return out;
}

void BoardIncast::run() {
  constexpr unsigned kRuns = 3, kExactRuns = 5;
  for (unsigned i = 0; i < (ctx_.exact() ? kExactRuns : kRuns); ++i) {
    const auto result = ctx_.run_valid(shifted(i));
    if (!result) return ctx_.inconclusive();
    if (i == 0) add_curves(*result);
    take(*result);
  }
  for (std::size_t p = 0; p < phases_.size(); ++p) report_phase(p);
  report_totals();
}

void BoardIncast::take(const TrialResult& result) {
  for (std::size_t p = 0; p < phases_.size(); ++p) take_phase(result, p);
  double lost = 0;
  for (const KindStats& kind : result.kinds) lost += static_cast<double>(kind.missing());
  lost_.push_back(lost);
  const CnpFate fate = match_cnps(result.sent_cnps, result.cnps, phases_.back().end);
  fate_.sent += fate.sent;
  fate_.lost += fate.lost;
  fate_.unsolicited += fate.unsolicited;
  fate_.delays_ns.insert(fate_.delays_ns.end(), fate.delays_ns.begin(), fate.delays_ns.end());
}

void BoardIncast::take_phase(const TrialResult& result, std::size_t p) {
  const Phase& phase = phases_[p];
  Seen& seen = seen_[p];
  BoardSeries boards;
  for (std::size_t k = 0; k < phase.boards; ++k) boards.emplace_back(result.kinds[k].series);
  const double fair = 1 / (frame_time_ * static_cast<double>(phase.boards));
  const std::size_t end = phase.samples().end;
  const std::vector<double> shares = frames_in(boards, {end - kMeasureWindow, end});
  const auto samples = intervals_to_fair(boards, phase.samples(), kShareWindow, fair);
  // Even shares soon after the start are not enough. With a large memory, all boards can send freely at
  // first, and may share the port unfairly later.
  if (samples && even(shares)) {
    seen.converged_ms.push_back(static_cast<double>(*samples * kSample) / kMillisecond);
  } else {
    ++seen.not_converged;
  }
  double sum = 0;
  for (const double s : shares) sum += s;
  seen.jain.push_back(jain(shares));
  seen.use.push_back(100 * sum * frame_time_ / kMeasureWindow);
  seen.pauses.push_back(static_cast<double>(
      std::count_if(result.pauses.begin(), result.pauses.end(), [&](const PauseSeen& pause) {
        const auto& quanta = pause.control.quanta;
        return pause.at >= phase.begin && pause.at < phase.end && pause.port != ctx_.roles().d &&
               std::any_of(quanta.begin(), quanta.end(), [](auto q) { return q != 0; });
      })));
}

void BoardIncast::add_spread(const Phase& phase, const char* name, std::vector<double> values,
                             const char* unit) {
  const Interval spread = median(std::move(values));
  ctx_.add({.name = name,
            .labels = {{"boards", std::to_string(phase.boards)}},
            .value = spread.value,
            .low = spread.low,
            .high = spread.high,
            .unit = unit,
            .method = Method::kMean});
}

void BoardIncast::report_phase(std::size_t p) {
  const Phase& phase = phases_[p];
  Seen& seen = seen_[p];
  if (seen.not_converged == 0) {
    add_spread(phase, "converged_ms", seen.converged_ms, "ms");
  } else {
    const double length = static_cast<double>(phase.end - phase.begin) / kMillisecond;
    ctx_.add(
        {.name = "converged_ms",
         .labels = {{"boards", std::to_string(phase.boards)}},
         .value = length,
         .low = length,
         .unit = "ms",
         .method = Method::kMean,
         .status = Status::kBounded,
         .reason =
             "not all boards came within 10 % of their fair shares for 10 ms, or they did not keep them"});
  }
  add_spread(phase, "jain", seen.jain, "");
  add_spread(phase, "use", seen.use, "%");
  add_spread(phase, "pauses", seen.pauses, "");
}

void BoardIncast::report_totals() {
  const Interval lost = median(lost_);
  ctx_.add({.name = "lost", .value = lost.value, .low = lost.low, .high = lost.high, .unit = "frames"});
  const auto unsolicited = static_cast<double>(fate_.unsolicited);
  ctx_.add({.name = "unsolicited_cnps", .value = unsolicited, .low = unsolicited, .high = unsolicited});
  report_cnps(ctx_, fate_, "incast", "no frame was marked, so the receiver sent no CNPs");
}

/// Draws the rates of the boards, averaged over 5 ms.
void BoardIncast::add_curves(const TrialResult& result) {
  constexpr std::size_t kStep = 5;
  const double gigabits = 8e-9 * static_cast<double>(ctx_.rate(ctx_.roles().d)) * frame_time_ / kStep;
  for (std::size_t k = 0; k < result.kinds.size(); ++k) {
    Curve curve{
        .name = "rate",
        .label = "board " + std::to_string(k + 1) + " at " + ctx_.rig.ports()[trial_.sources[k].port].name,
        .x_name = "time",
        .x_unit = "ms",
        .y_name = "rate on the wire",
        .y_unit = "Gb/s"};
    const BoardSeries board{result.kinds[k].series};
    const std::size_t end = phases_.back().samples().end;
    for (std::size_t i = trial_.sources[k].start / kSample; i + kStep <= end; i += kStep)
      curve.points.push_back({.x = static_cast<double>(i) + kStep / 2.0,
                              .y = frames_in(board, {i, i + kStep}).front() * gigabits});
    ctx_.report.curves.push_back(std::move(curve));
  }
}

}  // namespace

void run_dcqcn(Context& ctx) {
  BoardIncast incast(ctx, ctx.roles().senders());
  if (const std::string obstacle = incast.obstacle(); obstacle.empty()) {
    incast.run();
  } else {
    for (const char* name : {"converged_ms", "jain", "use", "pauses", "lost"})
      ctx.add_without_value(name, Status::kUnresolvable, obstacle);
  }
  if (ctx.report.status == Status::kMeasured) measure_cnp_reaction(ctx);
  if (ctx.report.status == Status::kMeasured) find_forged_cnps(ctx);
}

}  // namespace softfeb::switchtest
