// SPDX-License-Identifier: BSD-3-Clause
#include "base/rng.hpp"
#include "switchtest/estimators.hpp"
#include "switchtest/memory_class.hpp"
#include "switchtest/path_delay.hpp"
#include "switchtest/paused_drain.hpp"
#include "switchtest/paused_neighbours.hpp"
#include "switchtest/tests.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace softfeb::switchtest {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr std::array<std::uint16_t, 3> kQuanta{100, 1'000, 10'000};

/// The number of quanta within which a station must obey a pause, by link speed (IEEE 802.3 annex 31B.3.7).
struct Annex31b {
  std::uint64_t gigabits;
  std::uint16_t quanta;
};
constexpr std::array kAnnex31b{Annex31b{10, 60}, Annex31b{25, 80}, Annex31b{40, 118}, Annex31b{100, 394}};

/// The test `obedience`: pauses a queue of port D while it drains, at random moments within the time of a
/// frame.
class ObedienceTest {
 public:
  ObedienceTest(Context& ctx, std::uint8_t dscp) : ctx_(ctx), dscp_(dscp) {}
  void run();

 private:
  FrameKind frame(std::uint32_t size) const;
  std::optional<PausedDrain> drain(std::uint32_t size) const;
  bool sweep();
  bool try_phase(std::uint32_t size, std::size_t quanta, double phase, bool& seen);
  void take(const Silence& seen, double frame_time, std::size_t quanta);
  void report_response();
  void report_annex(const Figure& response);
  void report_quantum();
  bool report_resumption();

  Context& ctx_;
  std::uint8_t dscp_;
  // Bounds, in picoseconds, of the time from the end of the pause frame to the start of the last frame before
  // the silence, including the delay of two cables. `low_` and `high_` are the bounds of the longest time
  // over all trials; `least_high_` is the smallest upper bound of any trial.
  double low_ = -kInfinite, high_ = -kInfinite, least_high_ = kInfinite;
  std::array<CommonInterval, kQuanta.size()> resumed_;  ///< start of the next frame after a pause, by kQuanta
};

FrameKind ObedienceTest::frame(std::uint32_t size) const {
  FrameKind out = ctx_.frame(ctx_.roles().d, size);
  out.dscp = dscp_;
  return out;
}

/// Returns a PausedDrain with so many frames that the pause arrives before the queue is empty.
std::optional<PausedDrain> ObedienceTest::drain(std::uint32_t size) const {
  const std::uint64_t frames = ctx_.exact() ? 256 : 1'024;
  return PausedDrain::create(ctx_, frame(size), frames);
}

/// Adds the bounds that one trial yields. The pause took effect after the start of the last frame before the
/// silence, and before the time at which the next frame would have started.
void ObedienceTest::take(const Silence& seen, double frame_time, std::size_t quanta) {
  const double error = std::max(seen.error, static_cast<double>(kTimeResolution));
  low_ = std::max(low_, seen.last - frame_time - error);
  high_ = std::max(high_, seen.last + error);
  least_high_ = std::min(least_high_, seen.last + error);
  resumed_[quanta].add(seen.first - frame_time - error, seen.first - frame_time + error);
}

/// Returns false if no trial was valid. Sets `seen` to true if the switch stopped sending from the queue,
/// otherwise to false.
bool ObedienceTest::try_phase(std::uint32_t size, std::size_t quanta, double phase, bool& seen) {
  auto drain = this->drain(size);
  drain->pause(ctx_, kQuanta[quanta], phase);
  const auto result = ctx_.run_valid(drain->trial(), [&](const TrialResult& r) { return drain->flaw(r); });
  if (!result) return false;
  const auto silence = drain->silence(*result);
  seen = silence.has_value();
  if (silence) take(*silence, static_cast<double>(drain->frame_time()), quanta);
  return true;
}

/// Measures the response at many phases of the frames. Long frames show the longest time for which the switch
/// may continue to send after a pause; short frames show exactly when the pause takes effect. In real time,
/// only long frames are used: a queue of short frames may be empty when a late pause arrives. Returns false
/// if the rig failed.
bool ObedienceTest::sweep() {
  constexpr unsigned kPhases = 200, kQuickPhases = 24;
  constexpr std::uint32_t kShort = 78;
  std::vector<std::uint32_t> sizes{ctx_.large_size(ctx_.roles().a, ctx_.roles().d)};
  if (ctx_.exact()) sizes.push_back(kShort);
  Rng rng(ctx_.seed());
  for (unsigned i = 0; i < (ctx_.quick() ? kQuickPhases : kPhases); ++i) {
    const std::size_t s = i % sizes.size();
    bool seen = false;
    const double phase = static_cast<double>(rng.next() >> 11) * 0x1p-53;
    if (!try_phase(sizes[s], i / 2 % kQuanta.size(), phase, seen)) return false;
    if (!seen && ctx_.exact() && sizes.size() > 1 && s == 1) sizes.pop_back();
  }
  return true;
}

void ObedienceTest::report_response() {
  if (low_ == -kInfinite) {
    ctx_.add_without_value("response_ns", ctx_.exact() ? Status::kUnresolvable : Status::kInconclusive,
                           "the queue of D was empty before a pause took effect");
    return;
  }
  const double own = static_cast<double>(ctx_.rig.own_delay().value_or(0));
  const double way = own + 2 * static_cast<double>(ctx_.settings.cable.value_or(0));
  // If the times measured in the trials differ by more than their errors, the response time of the switch
  // itself varies. The longest time is then reported.
  const double low = (low_ - way) / kNanosecond;
  const double high = ((low_ > least_high_ ? high_ : least_high_) - way) / kNanosecond;
  if (high < 0) {
    ctx_.add_without_value("response_ns", Status::kUnresolvable,
                           "the switch obeys before the pause can have arrived; check `switch_test.cable`");
    return;
  }
  Figure out{.name = "response_ns", .high = high, .unit = "ns", .method = Method::kSearch};
  if (ctx_.settings.cable && ctx_.rig.own_delay()) {
    out.low = std::max(low, 0.0);
    out.value = (*out.low + high) / 2;
  } else {
    out.value = high;
    out.status = Status::kBounded;
    out.reason = ctx_.settings.cable
                     ? "the delay of the rig itself is unknown, and may be included"
                     : "`switch_test.cable` is not given, so the time on the cable is included";
  }
  report_annex(ctx_.add(std::move(out)));
}

void ObedienceTest::report_annex(const Figure& response) {
  const std::uint64_t rate = ctx_.rate(ctx_.roles().d);
  const auto* const known = std::find_if(kAnnex31b.begin(), kAnnex31b.end(), [&](const Annex31b& a) {
    return a.gigabits * 1'000'000'000 / 8 == rate;
  });
  const double high = *response.high;
  const std::optional<double> low = response.low;
  if (known == kAnnex31b.end()) {
    for (const char* name : {"annex_31b_ns", "within_annex_31b"})
      ctx_.add_without_value(name, Status::kUnresolvable,
                             "the limit is known for 10, 25, 40 and 100 Gb/s, but not for the rate of D");
    return;
  }
  const double limit = static_cast<double>(roce::pause_time(known->quanta, rate)) / kNanosecond;
  ctx_.add({.name = "annex_31b_ns", .value = limit, .low = limit, .high = limit, .unit = "ns"});
  if (high <= limit || (low && *low > limit)) {
    ctx_.add({.name = "within_annex_31b", .method = Method::kSearch, .text = high <= limit ? "yes" : "no"});
  } else {
    ctx_.add_without_value("within_annex_31b", Status::kUnresolvable,
                           "the limit is inside the interval of response_ns");
  }
}

/// Computes the duration of a quantum from pauses of different lengths, so that delays common to all of them
/// cancel out.
void ObedienceTest::report_quantum() {
  CommonInterval slope;
  Curve curve{.name = "obedience",
              .label = "pauses of port D",
              .x_name = "duration of the pause",
              .x_unit = "quanta",
              .y_name = "time until the next frame begins",
              .y_unit = "us",
              .points = {}};
  for (std::size_t q = 0; q < kQuanta.size(); ++q) {
    if (resumed_[q].empty()) continue;
    const Interval at = resumed_[q].result();
    curve.points.push_back({static_cast<double>(kQuanta[q]), at.value / kMicrosecond, at.low / kMicrosecond,
                            at.high / kMicrosecond});
    for (std::size_t p = 0; p < q; ++p) {
      if (resumed_[p].empty()) continue;
      const Interval before = resumed_[p].result();
      const double quanta = kQuanta[q] - kQuanta[p];
      slope.add((at.low - before.high) / quanta, (at.high - before.low) / quanta);
    }
  }
  if (slope.empty()) {
    ctx_.add_without_value("ns_per_quantum", ctx_.exact() ? Status::kUnresolvable : Status::kInconclusive,
                           "pauses of two different lengths are necessary, of which the effect is seen");
    return;
  }
  ctx_.report.curves.push_back(std::move(curve));
  const Interval found = slope.result();
  ctx_.add({.name = "ns_per_quantum",
            .value = found.value / kNanosecond,
            .low = found.low / kNanosecond,
            .high = found.high / kNanosecond,
            .unit = "ns",
            .method = Method::kFit});
}

/// Measures the time until the switch resumes, by ending a long pause after a tenth of its duration. Returns
/// false if the rig failed.
bool ObedienceTest::report_resumption() {
  constexpr unsigned kTrials = 5;
  const std::uint64_t rate = ctx_.rate(ctx_.roles().d);
  const double lapse = static_cast<double>(roce::pause_time(kQuanta.back(), rate));
  for (unsigned i = 0; i < kTrials; ++i) {
    auto drain = this->drain(ctx_.large_size(ctx_.roles().a, ctx_.roles().d));
    drain->pause(ctx_, kQuanta.back(), 0);
    drain->resume(roce::pause_time(kQuanta.back() / 10, rate));
    const auto result = ctx_.run_valid(drain->trial(), [&](const TrialResult& r) { return drain->flaw(r); });
    if (!result) return false;
    const auto silence = drain->silence(*result);
    if (!silence || 2 * silence->error >= lapse) continue;
    const bool resumed = silence->first + silence->error < lapse / 2;
    ctx_.add({.name = "resumes", .method = Method::kOrder, .text = resumed ? "yes" : "no"});
    return true;
  }
  ctx_.add_without_value("resumes", ctx_.exact() ? Status::kUnresolvable : Status::kInconclusive,
                         "no silence of the queue of D was seen");
  return true;
}

void ObedienceTest::run() {
  if (!sweep()) return ctx_.inconclusive();
  report_response();
  report_quantum();
  if (!report_resumption()) return ctx_.inconclusive();
  report_neighbours(ctx_, dscp_);
}

}  // namespace

void run_obedience(Context& ctx) {
  if (ctx.findings.obeyed == roce::PauseMode::kOff) {
    for (const char* name : {"response_ns", "ns_per_quantum", "resumes", "other_classes_disturbed"})
      ctx.add_without_value(name, Status::kAbsent, "the switch does not obey pause frames of port D");
    return;
  }
  const std::vector<std::uint8_t> dscps = freezable_dscps(ctx);
  if (dscps.empty()) return ctx.unresolvable("no DSCP was found that a pause of port D stops");
  ObedienceTest(ctx, dscps.front()).run();
}

}  // namespace softfeb::switchtest
