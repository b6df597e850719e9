// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/buffer_report.hpp"
#include "switchtest/freeze.hpp"
#include "switchtest/memory_class.hpp"
#include "switchtest/overload.hpp"
#include "switchtest/sharing.hpp"
#include "switchtest/tests.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace softfeb::switchtest {

namespace {

constexpr const char* kNoFreeze =
    "the switch does not obey pause frames, so only one queue can be filled at a time";

/// The test `buffer`: fills the queues of port D, and then one queue of port E, with frames of several sizes.
class BufferTest {
 public:
  explicit BufferTest(Context& ctx) : ctx_(ctx), d_(ctx.roles().d), a_(ctx.roles().a) {}
  void run();

 private:
  /// Whether a queue of the second egress port can be filled, and how.
  enum class OtherPort : std::uint8_t { kNone, kFrozen, kOverloaded };

  void run_frozen();
  void run_overloaded();
  bool find_other_port();
  bool find_queues();
  bool measure_headroom(std::uint32_t size, std::uint64_t filling);
  bool measure(std::uint32_t size);
  bool fill_queues(BufferSeries& series, std::uint64_t filling);
  std::optional<FrameCount> fill_other(const BufferSeries& series, std::vector<Fill> before);
  FrameKind frame(std::uint32_t size, std::uint8_t dscp, std::uint16_t to) const;
  FrameCount without_headroom(FrameCount count) const;
  std::vector<std::uint32_t> sizes() const;

  Context& ctx_;
  std::uint16_t d_, a_;
  MemoryClass class_;
  std::vector<std::uint8_t> others_;  ///< DSCPs of further queues of port D
  OtherPort other_port_ = OtherPort::kNone;
  std::uint64_t headroom_ = 0;  ///< number of frames of the current size that the headroom of port A holds
  std::vector<BufferSeries> series_;
};

FrameKind BufferTest::frame(std::uint32_t size, std::uint8_t dscp, std::uint16_t to) const {
  FrameKind out = ctx_.frame(to, size);
  out.dscp = dscp;
  return out;
}

/// Finds out whether a queue of port E can be frozen or, if it cannot, overloaded. Returns false if no trial
/// was valid.
bool BufferTest::find_other_port() {
  if (!ctx_.roles().e) return true;
  constexpr std::uint64_t kFrames = 4;
  const std::uint16_t e = *ctx_.roles().e;
  auto freeze = FreezeTrial::create(ctx_, e, class_.dscp);
  const FrameKind probe = frame(class_.size, class_.dscp, e);
  const std::uint16_t kind = freeze->send(ctx_, a_, probe, kFrames);
  freeze->release(ctx_, kFrames * (class_.size + 20));
  const auto result = ctx_.run_valid(freeze->trial);
  if (!result) return false;
  if (result->kinds[kind].arrived == kFrames && !freeze->lapsed(*result)) {
    other_port_ = OtherPort::kFrozen;
  } else if (Overload(ctx_, probe).possible() && !class_.lossless) {
    other_port_ = OtherPort::kOverloaded;
  }
  return true;
}

/// Returns a bit set of the classes in which the switch paused its neighbours.
std::uint8_t paused_classes(const TrialResult& result) {
  unsigned out = 0;
  for (const PauseSeen& p : result.pauses)
    for (std::size_t c = 0; c < p.control.quanta.size(); ++c)
      if (p.control.kind == roce::MacControl::Kind::kPfc && p.control.quanta[c] != 0)
        out |= p.control.enabled & 1U << c;
  return static_cast<std::uint8_t>(out);
}

/// Selects DSCPs of other queues for `others_`. Overfills the queues of all candidates one after the other.
/// If the switch still stores frames of a candidate when the queues of all earlier candidates are full, this
/// candidate has a queue of its own. If there is no such candidate, selects one whose frames the switch does
/// not store. The queues are overfilled, because only an overfilled queue shows whether its class has
/// headroom. Returns false if no trial was valid.
bool BufferTest::find_queues() {
  std::vector<std::uint8_t> candidates = dscps_of_other_queues(ctx_, class_.dscp);
  if (candidates.empty()) return true;
  const std::uint64_t filling = overfilling(class_.large.frames.high);
  FillPlan plan{.fills = {{a_, frame(class_.size, class_.dscp, d_), filling}}};
  for (const std::uint8_t dscp : candidates)
    plan.fills.push_back({a_, frame(class_.size, dscp, d_), filling});
  const auto result = fill_and_release(ctx_, plan);
  if (!result) return false;
  const std::uint8_t paused = paused_classes(result->trial);
  std::optional<std::uint8_t> empty;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto& priority = ctx_.findings.priority_of_dscp[candidates[i]];
    const bool headroom = priority && (paused >> *priority & 1) != 0 && !class_.lossless;
    if (headroom) continue;
    if (result->held[i + 1] != 0) {
      others_.push_back(candidates[i]);
    } else if (!empty) {
      empty = candidates[i];
    }
  }
  if (others_.empty() && empty) others_.push_back(*empty);
  return true;
}

/// Measures how many frames of this size the headroom holds. Returns false if no trial was valid.
bool BufferTest::measure_headroom(std::uint32_t size, std::uint64_t filling) {
  headroom_ = 0;
  if (!class_.lossless) return true;
  const auto held = headroom_frames(ctx_, frame(size, class_.dscp, d_), *second_sender(ctx_), filling);
  if (held) headroom_ = held->value();
  return held.has_value();
}

FrameCount BufferTest::without_headroom(FrameCount count) const {
  return {count.low - std::min(count.low, headroom_), count.high - std::min(count.high, headroom_)};
}

/// Overfills the queues of port D one after the other. Returns false if no trial was valid.
bool BufferTest::fill_queues(BufferSeries& series, std::uint64_t filling) {
  FillPlan plan{.fills = {{a_, frame(series.size, class_.dscp, d_), filling}}};
  for (const std::uint8_t dscp : others_) plan.fills.push_back({a_, frame(series.size, dscp, d_), filling});
  const auto held = count_held(ctx_, plan);
  if (!held) return false;
  series.queues.first = without_headroom(held->front());
  double used = 0;
  for (std::size_t i = 0; i < held->size(); ++i) {
    // With PFC, each class has its own headroom. With 802.3x, the frames in the first queue have already used
    // up the headroom.
    const bool again = i != 0 && ctx_.findings.sends == roce::PauseMode::kPfc && class_.lossless;
    const FrameCount count = i == 0 || again ? without_headroom((*held)[i]) : (*held)[i];
    if (i != 0) series.queues.same_port.push_back({used, count});
    used += static_cast<double>(count.value()) * series.queues.frame;
  }
  return true;
}

/// Fills a queue of port E after the fills in `before`. Returns std::nullopt if no trial was valid. If the
/// result may include headroom, sets `other_port_` to kNone, so that port E is no longer used.
std::optional<FrameCount> BufferTest::fill_other(const BufferSeries& series, std::vector<Fill> before) {
  constexpr unsigned kTrials = 5;
  const FrameKind to_e = frame(series.size, class_.dscp, *ctx_.roles().e);
  const std::uint64_t filling = overfilling(series.queues.first.high + headroom_);
  FillPlan plan{.fills = std::move(before)};
  Overload overload(ctx_, to_e);
  const bool frozen = other_port_ == OtherPort::kFrozen;
  if (frozen) {
    plan.fills.push_back({a_, to_e, filling});
  } else {
    if (!overload.calibrate()) return std::nullopt;
    overload.add(plan, filling);
  }
  FrameCount out;
  for (unsigned i = 0; i < ctx_.repetitions(kTrials); ++i) {
    const auto result = fill_and_release(ctx_, plan);
    if (!result) return std::nullopt;
    if (!frozen && overload.paused(*result)) {
      other_port_ = OtherPort::kNone;
      return out;
    }
    const std::uint64_t all = frozen ? result->held.back() : filling;
    const FrameCount held =
        frozen ? FrameCount{all, all} : overload.depth(*result).value_or(FrameCount{all, all});
    out.add(held.low);
    out.add(held.high);
  }
  return out;
}

bool BufferTest::measure(std::uint32_t size) {
  BufferSeries series{.size = size};
  const FrameKind first = frame(size, class_.dscp, d_);
  series.queues.frame = first.length;
  const auto found = size == class_.size ? class_.large : capacity(ctx_, a_, first);
  if (!found) return false;
  const std::uint64_t filling = overfilling(found->frames.high);
  if (!measure_headroom(size, filling) || !fill_queues(series, filling)) return false;
  if (other_port_ != OtherPort::kNone) {
    // Measure the queue of port E twice: while a queue of port D is half full, and while it is full.
    for (const std::uint64_t count : {series.queues.first.value() / 2, filling}) {
      const auto held = fill_other(series, {{a_, first, count}});
      if (!held) return false;
      if (other_port_ == OtherPort::kNone) {
        series.queues.other_port.clear();
        break;
      }
      const bool full = count == filling;
      const std::uint64_t beside = full ? series.queues.first.value() : count;
      // When a queue of port D is full, it has already used up the headroom.
      series.queues.other_port.push_back(
          {static_cast<double>(beside) * series.queues.frame, full ? *held : without_headroom(*held)});
    }
  }
  series_.push_back(std::move(series));
  return true;
}

/// Returns frame sizes with FCS: the large size of the class, followed by smaller sizes until a queue holds
/// enough frames to distinguish a limit from a dynamic threshold. Leaves out a size if a queue holds more
/// than kMost frames of this size.
std::vector<std::uint32_t> BufferTest::sizes() const {
  constexpr std::uint64_t kEnough = 300, kMost = 20'000;
  std::vector<std::uint32_t> out{class_.size};
  const std::uint64_t bytes = class_.large.frames.high * class_.size;
  for (const std::uint32_t size : {1026U, 258U, 78U})
    if (size < out.back() && bytes / size <= kMost && (out.size() == 1 || bytes / out.back() < kEnough))
      out.push_back(size);
  return out;
}

void BufferTest::run_frozen() {
  auto found = find_memory_class(ctx_);
  if (!found) return;
  class_ = std::move(*found);
  if (!class_.large.full) {
    const double bytes = static_cast<double>(class_.large.frames.low) * (class_.size - kFcsSize);
    ctx_.add({.name = "queue_bytes",
              .labels = {{"queue", "1"}},
              .value = bytes,
              .low = bytes,
              .unit = "B",
              .status = Status::kBounded,
              .reason = "the rig cannot send enough frames to fill the queue"});
    return;
  }
  if (class_.large.frames.high == 0)
    return ctx_.unresolvable("a queue takes no frame of " + std::to_string(class_.size) + " bytes");
  if (class_.lossless && !second_sender(ctx_))
    return ctx_.unresolvable(
        "the switch pauses all classes, and without a third port, headroom and shared memory cannot be told "
        "apart");
  if (!find_other_port() || !find_queues()) return ctx_.inconclusive();
  for (const std::uint32_t size : sizes())
    if (!measure(size)) return ctx_.inconclusive();
  ctx_.findings.queue_bytes =
      series_.front().queues.first.low * static_cast<std::uint64_t>(series_.front().queues.frame);
  report_buffer(ctx_, series_);
}

/// Measures by overload. Without freezes, only one queue at a time can be full.
void BufferTest::run_overloaded() {
  const std::uint32_t size = ctx_.large_size(a_, d_);
  Overload overload(ctx_, ctx_.frame(d_, size));
  if (!overload.possible())
    return ctx_.unresolvable(
        "the switch does not obey pause frames, and the other ports cannot overload port D");
  if (!overload.calibrate()) {
    if (!ctx_.last_void_reason().empty()) return ctx_.inconclusive();
    return ctx_.unresolvable("frames of " + std::to_string(size) +
                             " bytes do not arrive even if they are alone");
  }
  const auto found = overload.capacity();
  if (!found) return ctx_.inconclusive();
  if (!found->full) return ctx_.unresolvable("the switch lost no frames although port D was overloaded");
  series_.push_back({.size = size});
  series_.front().queues.frame = size - kFcsSize;
  series_.front().queues.first = found->frames;
  if (!found->paused) ctx_.findings.queue_bytes = found->frames.low * (size - kFcsSize);
  report_held(ctx_, series_.front(), true);
  if (found->paused)
    ctx_.report.figures.back().reason = "the switch paused the senders, so headroom may be included";
  for (const char* name : {"sharing", "alpha", "pool_bytes"})
    ctx_.add_without_value(name, Status::kUnresolvable, kNoFreeze);
}

void BufferTest::run() {
  if (ctx_.findings.obeyed == roce::PauseMode::kOff) {
    run_overloaded();
  } else {
    run_frozen();
  }
}

}  // namespace

void run_buffer(Context& ctx) { BufferTest(ctx).run(); }

}  // namespace softfeb::switchtest
