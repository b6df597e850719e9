// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/memory_class.hpp"
#include "switchtest/pause_search.hpp"
#include "switchtest/pause_signal.hpp"
#include "switchtest/slow_drain.hpp"
#include "switchtest/tests.hpp"
#include "switchtest/threshold_fit.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace softfeb::switchtest {

namespace {

constexpr std::uint32_t kSmallFrame = 78;

/// The test `xoff`: fills a frozen queue from port A until the switch pauses A, and drains the queue until
/// the switch lets A resume.
class XoffTest {
 public:
  XoffTest(Context& ctx, PausedClass paused)
      : ctx_(ctx), class_(std::move(paused)), large_(ctx.frame(ctx.roles().d, class_.size)) {
    large_.dscp = class_.dscp;
  }
  void run();

 private:
  bool find_frames();
  bool refine();
  bool counts_bytes(const FrameKind& small, std::uint64_t low, std::uint64_t high, bool& out);
  bool find_xon();
  bool find_kind();
  void report_kind(const std::vector<HeldPoint>& points);

  Context& ctx_;
  PausedClass class_;
  FrameKind large_;
  std::uint64_t frames_ = 0;          ///< number of large frames that make the switch pause port A
  std::uint64_t low_ = 0, high_ = 0;  ///< XOFF lies between these bounds, in bytes
};

/// Finds the number of large frames that cause a pause. Returns false if too many trials were void.
bool XoffTest::find_frames() {
  const Bracket found = frames_until_pause(ctx_, {}, large_, overfilling(class_.large.frames.high));
  if (!found.fail || (found.unreached && *found.unreached < *found.fail)) return false;
  frames_ = *found.fail;
  low_ = (frames_ - 1) * large_.length + 1;
  high_ = frames_ * large_.length;
  return true;
}

/// Replaces the last large frame by small frames, to narrow the bounds of XOFF. Returns false if too many
/// trials were void.
bool XoffTest::refine() {
  FrameKind small = ctx_.frame(large_.to, kSmallFrame);
  small.dscp = class_.dscp;
  std::vector<Fill> before;
  if (frames_ > 1) before.push_back({ctx_.roles().a, large_, frames_ - 1});
  const Bracket found = frames_until_pause(ctx_, before, small, large_.length / small.length + 2);
  if (found.unreached) return false;
  // If small frames with more bytes than a large frame do not cause a pause, the switch does not count bytes.
  if (!found.fail) return true;
  const std::uint64_t filled = (frames_ - 1) * large_.length;
  const std::uint64_t low = filled + (*found.fail - 1) * small.length + 1;
  const std::uint64_t high = std::min(high_, filled + *found.fail * small.length);
  bool bytes = true;
  if (!counts_bytes(small, low, high, bytes)) return false;
  if (!bytes) return true;
  low_ = low;
  high_ = high;
  return true;
}

/// Replaces one more large frame by small frames, and sets `out` to true if the threshold in bytes stays the
/// same. If it does not, the switch counts in units larger than a byte. Returns false if too many trials were
/// void.
bool XoffTest::counts_bytes(const FrameKind& small, std::uint64_t low, std::uint64_t high, bool& out) {
  if (frames_ < 2) return true;
  std::vector<Fill> before;
  if (frames_ > 2) before.push_back({ctx_.roles().a, large_, frames_ - 2});
  const std::uint64_t filled = (frames_ - 2) * large_.length;
  const std::uint64_t fewer = (low - 1 - filled) / small.length;
  const std::uint64_t enough = (high - filled + small.length - 1) / small.length;
  const Probe not_yet = pauses_for(ctx_, before, small, fewer);
  const Probe paused = pauses_for(ctx_, before, small, enough);
  out = not_yet == Probe::kPass && paused == Probe::kFail;
  return not_yet != Probe::kVoid && paused != Probe::kVoid;
}

/// Drains the queue frame by frame. XON lies between the contents of the queue before and after the departure
/// of the frame that made the switch resume. Returns false if too many trials were void.
bool XoffTest::find_xon() {
  constexpr unsigned kTrials = 5;
  constexpr Time kCycle = 100 * kMicrosecond, kRealCycle = 500 * kMicrosecond;
  const Time frame_time = time_on_wire(large_.length, ctx_.rate(large_.to));
  const Time cycle = std::max(ctx_.exact() ? kCycle : kRealCycle, 4 * frame_time);
  std::uint64_t low = UINT64_MAX, high = 0;
  for (unsigned i = 0; i < ctx_.repetitions(kTrials); ++i) {
    auto freeze = FreezeTrial::create(ctx_, large_.to, class_.dscp);
    freeze->trial.obedience.assign(ctx_.rig.ports().size(), {.obeys = false});
    const std::uint16_t kind = freeze->send(ctx_, ctx_.roles().a, large_, frames_);
    freeze->wait(kPauseWait);
    const SlowDrain drain(ctx_, std::move(*freeze), frames_ + 1, cycle, frame_time);
    const auto result = ctx_.run_valid(drain.trial());
    if (!result) return false;
    const auto resumed = std::find_if(result->pauses.begin(), result->pauses.end(), [&](const PauseSeen& p) {
      return p.port == ctx_.roles().a && p.at >= drain.begin() && resumes(ctx_, p.control, class_.dscp);
    });
    if (resumed == result->pauses.end()) {
      ctx_.add({.name = "xon_by_frame", .method = Method::kOrder, .text = "no"});
      ctx_.add_without_value("xon_bytes", Status::kUnresolvable,
                             "the switch sends no frame that resumes; it lets its pauses lapse");
      return true;
    }
    const Time begin = drain.begin() + (resumed->at - drain.begin()) / cycle * cycle;
    const Time error = result->time_error;
    high = std::max(high, frames_ - arrived_before(*result, kind, begin - error));
    low = std::min(low, frames_ - arrived_before(*result, kind, begin + cycle + error));
  }
  ctx_.add({.name = "xon_by_frame", .method = Method::kOrder, .text = "yes"});
  const auto bytes = [&](std::uint64_t n) { return static_cast<double>(n * large_.length); };
  ctx_.add({.name = "xon_bytes",
            .value = bytes(low),
            .low = bytes(low),
            .high = high > low ? bytes(high) - 1 : bytes(low),
            .unit = "B"});
  ctx_.findings.pausing = Findings::Pausing{high_, low * large_.length};
  return true;
}

/// Finds out whether XOFF is a constant or a dynamic threshold. Repeats the search for XOFF while a second
/// sender occupies a quarter, half and three quarters of the memory that is free at XOFF. Returns false if
/// too many trials were void.
bool XoffTest::find_kind() {
  const auto second = second_sender(ctx_);
  const std::uint64_t all = class_.large.frames.low;
  constexpr std::uint64_t kEnough = 16;
  if (!second || all < frames_ + kEnough) {
    const char* reason = second ? "the threshold is too near the end of the memory"
                                : "a second sender, which takes memory, is missing";
    for (const char* name : {"threshold", "alpha"})
      ctx_.add_without_value(name, Status::kUnresolvable, reason);
    return true;
  }
  const auto bytes = [&](std::uint64_t n) { return static_cast<double>(n * large_.length); };
  const auto point = [&](std::uint64_t used, std::uint64_t n) {
    return HeldPoint{bytes(used), bytes(n) - bytes(1) / 2, bytes(n - 1), bytes(n)};
  };
  std::vector<HeldPoint> points{point(0, frames_)};
  for (std::uint64_t quarter = 1; quarter <= 3; ++quarter) {
    const std::uint64_t taken = (all - frames_) * quarter / 4;
    const Bracket found = frames_until_pause(ctx_, {{*second, large_, taken}}, large_, overfilling(all));
    if (found.unreached || !found.fail) return false;
    points.push_back(point(taken, *found.fail));
  }
  report_kind(points);
  return true;
}

void XoffTest::report_kind(const std::vector<HeldPoint>& points) {
  Curve curve{.name = "xoff",
              .label = std::to_string(class_.size) + " bytes",
              .x_name = "memory taken by a second sender",
              .x_unit = "B",
              .y_name = "XOFF",
              .y_unit = "B",
              .points = {}};
  for (const HeldPoint& p : points) curve.points.push_back({p.used, p.held, p.low, p.high});
  ctx_.report.curves.push_back(std::move(curve));
  const bool fixed = std::all_of(points.begin(), points.end(), [&](const HeldPoint& p) {
    return p.low <= points.front().high && p.high >= points.front().low;
  });
  if (fixed) {
    ctx_.add({.name = "threshold", .method = Method::kOrder, .text = "fixed"});
    ctx_.add_without_value("alpha", Status::kAbsent, "the threshold does not depend on the free memory");
    return;
  }
  const auto fit = fit_threshold(points);
  if (!fit || fit->share_low <= 0) {
    const char* reason = "the threshold falls, but not in proportion to the free memory";
    for (const char* name : {"threshold", "alpha"})
      ctx_.add_without_value(name, Status::kUnresolvable, reason);
    return;
  }
  ctx_.add({.name = "threshold", .method = Method::kOrder, .text = "dynamic"});
  ctx_.add({.name = "alpha",
            .value = fit->alpha,
            .low = fit->alpha_low,
            .high = fit->alpha_high,
            .method = Method::kFit});
}

void XoffTest::run() {
  if (!find_frames() || !refine()) return ctx_.inconclusive();
  ctx_.add({.name = "xoff_bytes",
            .value = static_cast<double>(high_),
            .low = static_cast<double>(low_),
            .high = static_cast<double>(high_),
            .unit = "B",
            .method = Method::kSearch});
  if (!find_xon() || !report_pause_signal(ctx_, large_, frames_) || !find_kind()) ctx_.inconclusive();
}

}  // namespace

void run_xoff(Context& ctx) {
  auto paused = find_paused_class(ctx);
  if (paused) return XoffTest(ctx, std::move(*paused)).run();
  if (ctx.report.status != Status::kMeasured) return;
  for (const char* name : {"xoff_bytes", "xon_by_frame", "xon_bytes", "quanta", "refresh_us", "classes",
                           "generation_ns", "threshold", "alpha"})
    ctx.add_without_value(name, Status::kAbsent,
                          "the switch paused A in no class, even if its queue was full");
}

}  // namespace softfeb::switchtest
