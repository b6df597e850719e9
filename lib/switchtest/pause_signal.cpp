// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/pause_signal.hpp"

#include "switchtest/estimators.hpp"
#include "switchtest/memory_class.hpp"
#include "switchtest/path_delay.hpp"
#include "switchtest/pause_search.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace softfeb::switchtest {

namespace {

/// Measures the pause frames with which the switch stops port A.
class PauseSignal {
 public:
  PauseSignal(Context& ctx, const FrameKind& frame, std::uint64_t frames)
      : ctx_(ctx), frame_(frame), frames_(frames), a_(ctx.roles().a) {}
  bool measure();

 private:
  std::optional<FillResult> held(Time wait);
  void report_refresh(const FillResult& held);
  void report_classes(const roce::MacControl& control);
  using Way = std::int64_t;  ///< result of find_way(), in picoseconds
  bool find_way(std::optional<Way>& out);
  bool report_generation();

  Context& ctx_;
  const FrameKind& frame_;
  std::uint64_t frames_;
  std::uint16_t a_;
};

std::optional<FillResult> PauseSignal::held(Time wait) {
  return fill_and_release(ctx_, {.fills = {{a_, frame_, frames_}}, .overload = {}, .wait = wait});
}

void PauseSignal::report_refresh(const FillResult& held) {
  std::vector<double> intervals;
  Time before = kNever;
  for (const PauseSeen& p : held.trial.pauses) {
    if (p.port != a_ || p.at >= held.released || !stops(ctx_, p.control, frame_.dscp)) continue;
    if (before != kNever) intervals.push_back(static_cast<double>(p.at - before) / kMicrosecond);
    before = p.at;
  }
  if (intervals.empty()) {
    ctx_.add_without_value("refresh_us", Status::kAbsent,
                           "the switch did not repeat its pause frame while the queue stayed full");
    return;
  }
  std::sort(intervals.begin(), intervals.end());
  ctx_.add({.name = "refresh_us",
            .value = intervals[intervals.size() / 2],
            .low = intervals.front(),
            .high = intervals.back(),
            .unit = "us",
            .method = Method::kMean});
}

void PauseSignal::report_classes(const roce::MacControl& control) {
  std::string text;
  for (std::size_t p = 0; p < roce::kPriorities; ++p)
    if ((control.enabled >> p & 1) != 0 && control.quanta[p] != 0)
      text += (text.empty() ? "" : ", ") + std::to_string(p);
  if (control.kind == roce::MacControl::Kind::kPause) text = "all";
  ctx_.add({.name = "classes", .method = Method::kOrder, .text = text});
}

/// Finds the delay from port A to the switch, through the switch, and back to A, without the times that
/// frames take on the wire. This delay is the sum of the delays from A to C and from A to D, minus the delay
/// from C to D. If this delay cannot be determined, adds the figure generation_ns with the reason. Returns
/// false if too many trials were void.
bool PauseSignal::find_way(std::optional<Way>& out) {
  const auto c = second_sender(ctx_);
  if (!c) {
    ctx_.add_without_value("generation_ns", Status::kUnresolvable,
                           "without a third port, the length of the cable to A is unknown");
    return true;
  }
  const std::uint16_t d = frame_.to;
  const auto ac = path_delay(ctx_, a_, *c, frame_.dscp), ad = path_delay(ctx_, a_, d, frame_.dscp),
             cd = path_delay(ctx_, *c, d, frame_.dscp);
  if (!ac || !ad || !cd) return false;
  if (ac->cut_through || ad->cut_through || cd->cut_through) {
    ctx_.add_without_value(
        "generation_ns", Status::kUnresolvable,
        "the switch forwards frames before they are complete, so when it counts them is unknown");
    return true;
  }
  const auto time = [](const PathDelay& p) { return static_cast<std::int64_t>(p.value()); };
  out = time(*ac) + time(*ad) - time(*cd);
  return true;
}

bool PauseSignal::report_generation() {
  constexpr unsigned kTrials = 5;
  constexpr std::uint32_t kPauseLength = 60;
  std::optional<Way> way;
  if (!find_way(way)) return false;
  if (!way) return true;
  const Time wire = time_on_wire(frame_.length, ctx_.rate(a_)) + time_on_wire(kPauseLength, ctx_.rate(a_));
  CommonInterval found;
  for (unsigned i = 0; i < ctx_.repetitions(kTrials); ++i) {
    const auto result = held(kPauseWait);
    if (!result) return false;
    const PauseSeen* pause = result->first_pause(a_);
    if (pause == nullptr) return false;
    const Time sent = result->trial.kinds[result->kinds.front()].last_departure;
    const double rest = static_cast<double>(static_cast<Way>(pause->at - sent - wire) - *way) / kNanosecond;
    // Three path delays contribute rounding errors.
    const double error = static_cast<double>(3 * kTimeResolution + result->trial.time_error) / kNanosecond;
    found.add(rest - error, rest + error);
  }
  const Interval generation = found.result();
  ctx_.add({.name = "generation_ns",
            .value = generation.value,
            .low = generation.low,
            .high = generation.high,
            .unit = "ns",
            .method = Method::kMean});
  return true;
}

bool PauseSignal::measure() {
  constexpr unsigned kRepeats = 5;
  auto first = held(kPauseWait);
  if (!first) return false;
  const PauseSeen* pause = first->first_pause(a_);
  if (pause == nullptr) return false;
  const roce::MacControl control = pause->control;
  const std::uint16_t quanta = quanta_for(ctx_, control, frame_.dscp);
  const double value = quanta;
  ctx_.add({.name = "quanta", .value = value, .low = value, .high = value});
  const auto repeated = held(kPauseWait + kRepeats * roce::pause_time(quanta, ctx_.rate(a_)));
  if (!repeated) return false;
  report_refresh(*repeated);
  report_classes(control);
  return report_generation();
}

}  // namespace

bool report_pause_signal(Context& ctx, const FrameKind& frame, std::uint64_t frames) {
  return PauseSignal(ctx, frame, frames).measure();
}

}  // namespace softfeb::switchtest
