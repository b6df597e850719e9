// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/headroom_delay.hpp"
#include "switchtest/memory_class.hpp"
#include "switchtest/path_delay.hpp"
#include "switchtest/tests.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace softfeb::switchtest {

namespace {

constexpr std::array kBehindFullMemory{"guaranteed_bytes", "sharing", "tolerated_ns", "extra_cable_m"};

/// The test `headroom`: finds out how much the switch stores from a sender that it has paused.
class HeadroomTest {
 public:
  HeadroomTest(Context& ctx, const PausedClass& paused, std::uint16_t c)
      : ctx_(ctx), class_(paused), trials_(ctx, paused, c) {}
  void run();

 private:
  bool find_xoff();
  void report_skid();
  bool report_overshoot();
  bool find_guaranteed();
  void report_guaranteed(const FrameCount& frames);
  bool find_sharing(const HeadroomTrials::Held& full);
  double bytes(std::uint64_t frames) const { return static_cast<double>(frames * trials_.frame().length); }

  Context& ctx_;
  PausedClass class_;
  HeadroomTrials trials_;
  std::uint64_t xoff_ = 0;  ///< number of frames from port A that make the switch pause A
  /// Frames that the switch accepts after port C has filled the memory; empty if C cannot fill it.
  std::optional<LeftForA> left_;
};

/// Finds `xoff_`. Returns false if no number of frames caused a pause, or if the rig failed in a trial with
/// fewer frames than the smallest number that caused a pause.
bool HeadroomTest::find_xoff() {
  const Bracket found = frames_until_pause(ctx_, {}, trials_.frame(), overfilling(class_.large.frames.high));
  if (!found.fail || (found.unreached && *found.unreached < *found.fail)) return false;
  xoff_ = *found.fail;
  return true;
}

void HeadroomTest::report_skid() {
  const FrameCount& all = class_.large.frames;
  const auto after = [&](std::uint64_t frames) { return frames - std::min(frames, xoff_); };
  Figure figure{.name = "skid_bytes",
                .value = bytes(after(all.value())),
                .low = bytes(after(all.low)),
                .high = bytes(after(all.high) + 1) - 1,
                .unit = "B"};
  if (!class_.large.full) {
    figure.high = std::nullopt;
    figure.status = Status::kBounded;
    figure.reason = "the rig cannot send enough frames to fill the queue";
  }
  ctx_.add(std::move(figure));
}

/// Computes how many frames a sender at line rate starts between the frame that reaches XOFF and the arrival
/// of the pause frame. The number follows from the time between these two events, so it does not depend on
/// how fast this rig obeys. Uses the trial with the smallest time error. Returns false if too many trials
/// were void.
bool HeadroomTest::report_overshoot() {
  constexpr unsigned kTrials = 5;
  const std::uint16_t a = ctx_.roles().a;
  const double frame_time = static_cast<double>(time_on_wire(trials_.frame().length, ctx_.rate(a)));
  const auto own = ctx_.rig.own_delay();
  double after = 0, error = 1e18;
  for (unsigned i = 0; i < ctx_.repetitions(kTrials); ++i) {
    const auto result =
        fill_and_release(ctx_, {.fills = {{a, trials_.frame(), xoff_}}, .overload = {}, .wait = kPauseWait});
    if (!result) return false;
    const PauseSeen* pause = result->first_pause(a);
    if (pause == nullptr) return false;
    const auto time_error = static_cast<double>(result->trial.time_error + kTimeResolution);
    if (time_error >= error) continue;
    error = time_error;
    const Time sent = result->trial.kinds[result->kinds.front()].last_departure;
    after = static_cast<double>(pause->at) - static_cast<double>(sent) - frame_time -
            static_cast<double>(own.value_or(0));
  }
  // If the delay of the rig is unknown, the times yield only an upper bound. The lower bound is then one
  // frame.
  const double low = own ? std::max(std::ceil((after - error) / frame_time), 1.0) : 1.0;
  const double high = std::max(std::floor((after + error) / frame_time) + 1, low);
  const double frames = std::clamp(std::floor(after / frame_time) + 1, low, high);
  const auto add = [&](const char* name, double more) {
    ctx_.add({.name = name,
              .value = (frames + more) * bytes(1),
              .low = (low + more) * bytes(1),
              .high = (high + more) * bytes(1),
              .unit = "B",
              .method = Method::kMean});
  };
  add("overshoot_bytes", 0);
  // If the memory is full, the frame that causes the pause is stored in headroom, too. The headroom must
  // therefore hold one frame more.
  add("needed_bytes", 1);
  return true;
}

void HeadroomTest::report_guaranteed(const FrameCount& frames) {
  Figure figure{.name = "guaranteed_bytes",
                .value = bytes(frames.low),
                .low = bytes(frames.low),
                .high = bytes(frames.high + 1) - 1,
                .unit = "B"};
  if (left_->headroom) {
    ctx_.findings.headroom = Findings::Headroom{frames.low * trials_.frame().length, class_.dscp, false};
  } else {
    figure.value = figure.high;
    figure.low = std::nullopt;
    figure.status = Status::kBounded;
    figure.reason = xoff_ > 1
                        ? "the switch does not pause A at its first frame, so C has left memory that another "
                          "sender could take"
                        : "the switch always pauses A at its first frame, so it is not known whether C has "
                          "left memory that another sender could take";
  }
  ctx_.add(std::move(figure));
}

/// Finds out how many frames from port A the switch still stores after port C has taken all the memory that C
/// can get. Returns false if too many trials were void.
bool HeadroomTest::find_guaranteed() {
  const auto full = trials_.held(trials_.filling());
  if (!full) return false;
  if (full->c.high >= trials_.filling()) return true;
  const Probe first = trials_.first_frame_pauses(trials_.filling());
  if (first == Probe::kVoid) return false;
  // If a frame has to be stored in headroom, the switch sends a pause. But if even a single frame reaches
  // XOFF, the switch sends a pause wherever the frame is stored, so the pause shows nothing.
  const bool tells = first == Probe::kFail && xoff_ > 1;
  left_ = LeftForA{full->a.high, tells || full->a.high == 0};
  report_guaranteed(full->a);
  return find_sharing(*full);
}

/// Finds out whether port A can use headroom that port C does not use. Returns false if too many trials were
/// void.
bool HeadroomTest::find_sharing(const HeadroomTrials::Held& full) {
  const auto of_c = headroom_frames(ctx_, trials_.frame(), trials_.second(), trials_.filling());
  if (!of_c) return false;
  if (!left_->headroom || full.a.low == 0 || of_c->low == 0) {
    ctx_.add_without_value("sharing", Status::kUnresolvable,
                           left_->headroom
                               ? "one of two senders gets no headroom if the other one has filled the memory"
                               : "C may have left memory other than headroom");
    return true;
  }
  const auto without_last = trials_.held(full.c.low - 1);
  if (!without_last) return false;
  const bool shared = without_last->a.low > full.a.high;
  if (ctx_.findings.headroom) ctx_.findings.headroom->shared = shared;
  ctx_.add({.name = "sharing", .method = Method::kOrder, .text = shared ? "common pool" : "per port"});
  return true;
}

void HeadroomTest::run() {
  if (!find_xoff()) return ctx_.inconclusive();
  report_skid();
  if (!report_overshoot() || (class_.large.full && !find_guaranteed())) return ctx_.inconclusive();
  if (left_) {
    if (!report_tolerated_delay(ctx_, trials_, *left_)) ctx_.inconclusive();
    return;
  }
  for (const char* name : kBehindFullMemory)
    ctx_.add_without_value(name, Status::kUnresolvable, "C cannot send enough frames to fill the memory");
}

}  // namespace

void run_headroom(Context& ctx) {
  const auto paused = find_paused_class(ctx);
  if (paused) {
    const auto c = second_sender(ctx);
    if (!c) return ctx.unresolvable("the test needs a second sender, which fills the memory");
    return HeadroomTest(ctx, *paused, *c).run();
  }
  if (ctx.report.status != Status::kMeasured) return;
  for (const char* name : {"skid_bytes", "overshoot_bytes", "needed_bytes", "guaranteed_bytes", "sharing",
                           "tolerated_ns", "extra_cable_m"})
    ctx.add_without_value(name, Status::kAbsent,
                          "the switch paused A in no class, even if its queue was full");
}

}  // namespace softfeb::switchtest
