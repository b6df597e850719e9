// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/cell_fit.hpp"
#include "switchtest/cell_report.hpp"
#include "switchtest/memory_class.hpp"
#include "switchtest/overload.hpp"
#include "switchtest/tests.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace softfeb::switchtest {

namespace {

/// All lengths exclude the FCS. The length of a RoCE frame is 74 bytes plus a multiple of kLengthStep. The
/// scan covers a range of kScannedBytes.
constexpr std::uint32_t kLengthStep = 4, kScannedBytes = 300;

std::uint32_t roce_length(double bytes, std::uint32_t longest) {
  const double limited = std::clamp<double>(bytes, kSmallestRoceFrame, longest);
  const auto above = static_cast<std::uint32_t>(limited) - kSmallestRoceFrame;
  return kSmallestRoceFrame + above / kLengthStep * kLengthStep;
}

/// The test `cells`: measures how many frames one queue of port D holds, for many frame lengths.
class CellsTest {
 public:
  explicit CellsTest(Context& ctx) : ctx_(ctx), a_(ctx.roles().a), d_(ctx.roles().d) {}
  void run();

 private:
  using Counts = std::map<std::uint32_t, FrameCount>;

  bool find_frozen_queue();
  bool find_overloaded_queue();
  bool start(const Capacity& capacity, std::uint32_t size);
  FrameKind frame(std::uint32_t length) const;
  std::optional<FrameCount> overloaded(std::uint32_t length);
  std::optional<FrameCount> frozen(std::uint32_t length);
  bool measure(std::uint32_t length);
  bool scan();
  bool look_for_more_steps();
  bool refine(std::uint32_t before, std::uint32_t after);
  bool refine_steps();
  bool vary_widely();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> steps() const;
  CellPoint point(Counts::const_iterator count) const {
    return {count->first, count->second.low, count->second.high};
  }

  Context& ctx_;
  std::uint16_t a_, d_;
  std::uint8_t dscp_ = 0;
  bool overload_ = false;               ///< the switch obeys no pauses, so an overload fills the queue
  bool headroom_ = false;               ///< frames may also be stored in headroom, which has cells of its own
  std::uint32_t longest_ = 0;           ///< length of the longest frame
  double bytes_ = 0;                    ///< number of bytes that the queue holds
  std::uint32_t first_ = 0, last_ = 0;  ///< first and last length of the scan
  Counts counts_;
};

FrameKind CellsTest::frame(std::uint32_t length) const {
  FrameKind out = ctx_.frame(d_, length + kFcsSize);
  out.dscp = dscp_;
  return out;
}

/// Chooses the lengths to scan. A queue of Q bytes holds N = Q/L frames of L bytes, and a step of 4 bytes in
/// L changes N by about 4N/L. If possible, the scan begins where N is about equal to L, so that N changes by
/// about 4. With longer frames, the change would be smaller. With shorter frames, the test would need more
/// frames than necessary.
bool CellsTest::start(const Capacity& capacity, std::uint32_t size) {
  longest_ = size - kFcsSize;
  bytes_ = static_cast<double>(capacity.frames.high) * longest_;
  first_ = roce_length(std::min(std::sqrt(bytes_), static_cast<double>(longest_) - kScannedBytes), longest_);
  last_ = std::min(first_ + kScannedBytes, longest_);
  constexpr std::uint64_t kFewest = 4;
  if (capacity.full && capacity.frames.high >= kFewest) return true;
  ctx_.unresolvable(capacity.full ? "the queue holds " + std::to_string(capacity.frames.high) +
                                        " frames, too few to see cells"
                                  : "the rig cannot send enough frames to fill a queue");
  return false;
}

/// Returns false if the test has ended without a result.
bool CellsTest::find_frozen_queue() {
  const auto found = find_memory_class(ctx_);
  if (!found) return false;
  dscp_ = found->dscp;
  headroom_ = found->lossless;
  return start(found->large, found->size);
}

/// Returns false if the test has ended without a result.
bool CellsTest::find_overloaded_queue() {
  const std::uint32_t size = ctx_.large_size(a_, d_);
  overload_ = true;
  dscp_ = ctx_.settings.dscp;
  Overload overload(ctx_, frame(size - kFcsSize));
  if (!overload.possible()) {
    ctx_.unresolvable("the switch does not obey pause frames, and the other ports cannot overload port D");
    return false;
  }
  const bool calibrated = overload.calibrate();
  const auto found = calibrated ? overload.capacity() : std::nullopt;
  if (!found) {
    if (calibrated || !ctx_.last_void_reason().empty()) {
      ctx_.inconclusive();
    } else {
      ctx_.unresolvable("large frames do not arrive even if they are alone");
    }
    return false;
  }
  headroom_ = found->paused;
  return start(*found, size);
}

/// Returns the number of frames in the overloaded queue. Returns std::nullopt if no trial was valid, or if
/// the overload did not fill the queue.
std::optional<FrameCount> CellsTest::overloaded(std::uint32_t length) {
  Overload overload(ctx_, frame(length));
  if (!overload.calibrate()) return std::nullopt;
  const auto found = overload.capacity(overfilling(static_cast<std::uint64_t>(bytes_ / length)));
  if (!found || !found->full) return std::nullopt;
  return found->frames;
}

/// Returns the number of frames in the frozen queue. Returns std::nullopt if no trial was valid, or if the
/// rig could not fill the queue.
std::optional<FrameCount> CellsTest::frozen(std::uint32_t length) {
  // Some frames move from the frozen queue into the MAC. The test therefore first sends a primer, which is a
  // few frames of a fixed length. The frames that move into the MAC then have the same length in all trials.
  constexpr std::uint64_t kPrimer = 20, kRepetitions = 2;
  constexpr int kAttempts = 8;
  const bool primer = bytes_ > 8.0 * kPrimer * first_;
  std::uint64_t filling = overfilling(static_cast<std::uint64_t>(bytes_ / length));
  FrameCount out;
  unsigned counted = 0;
  for (int i = 0; i < kAttempts && counted < ctx_.repetitions(kRepetitions); ++i) {
    FillPlan plan;
    if (primer) plan.fills.push_back({a_, frame(first_), kPrimer});
    plan.fills.push_back({a_, frame(length), filling});
    const auto result = fill_and_release(ctx_, plan);
    if (!result) return std::nullopt;
    if (result->lost(plan.fills.size() - 1) == 0) {
      filling += filling / 4;
      continue;
    }
    out.add(result->held.back());
    ++counted;
  }
  return counted == 0 ? std::nullopt : std::optional(out);
}

/// Returns false if the number of frames could not be determined.
bool CellsTest::measure(std::uint32_t length) {
  if (counts_.count(length) != 0) return true;
  const auto count = overload_ ? overloaded(length) : frozen(length);
  if (count) counts_[length] = *count;
  return count.has_value();
}

bool CellsTest::scan() {
  for (std::uint32_t length = first_; length <= last_; length += kLengthStep)
    if (!measure(length)) return false;
  return true;
}

/// Returns the pairs of neighbouring lengths between which the number of frames in the queue changes.
std::vector<std::pair<std::uint32_t, std::uint32_t>> CellsTest::steps() const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> out;
  if (counts_.empty()) return out;
  for (auto a = counts_.begin(), b = std::next(a); b != counts_.end(); ++a, ++b)
    if (differ(point(a), point(b))) out.emplace_back(a->first, b->first);
  return out;
}

/// Measures further lengths if the scan shows fewer than two steps. The distance between two steps is a
/// multiple of the cell size, and the cells may be larger than the scanned range. Tries longer frames first,
/// because the queue then takes less time to fill.
bool CellsTest::look_for_more_steps() {
  constexpr std::uint32_t kStride = 64;
  const auto enough = [&] { return steps().size() >= 2; };
  for (std::uint32_t length = last_ + kStride; length <= longest_ && !enough(); length += kStride)
    if (!measure(length)) return false;
  if (!enough() && !measure(longest_)) return false;
  const std::uint32_t shortest = std::max(first_ / 2, kSmallestRoceFrame + kStride);
  for (std::uint32_t length = first_; length >= shortest && !enough(); length -= kStride)
    if (!measure(length)) return false;
  return true;
}

/// Locates a step: finds the exact length at which the number of frames changes. Lengths that RoCE frames
/// cannot have are sent as plain UDP.
bool CellsTest::refine(std::uint32_t before, std::uint32_t after) {
  while (after - before > 1) {
    const std::uint32_t middle = before + (after - before) / 2;
    if (!measure(middle)) return false;
    (differ(point(counts_.find(before)), point(counts_.find(middle))) ? after : before) = middle;
  }
  return true;
}

bool CellsTest::refine_steps() {
  const auto all = steps();
  // If the number of frames changes with every length, there is no step to locate.
  if (all.empty() || all.size() + 1 == counts_.size()) return true;
  return refine(all.front().first, all.front().second) && refine(all.back().first, all.back().second);
}

/// Measures frames that are much shorter and much longer than those of the scan. The counts of these frames
/// show how many cells a frame occupies, and how large the overhead is.
bool CellsTest::vary_widely() {
  constexpr double kFactor = 4;
  return measure(roce_length(first_ / kFactor, longest_)) && measure(roce_length(first_ * kFactor, longest_));
}

void CellsTest::run() {
  const bool found =
      ctx_.findings.obeyed == roce::PauseMode::kOff ? find_overloaded_queue() : find_frozen_queue();
  if (!found) return;
  if (!scan() || !look_for_more_steps() || !refine_steps() || !vary_widely()) {
    if (!ctx_.last_void_reason().empty()) return ctx_.inconclusive();
    return ctx_.unresolvable("the switch did not lose frames although its queue was overfilled");
  }
  std::vector<CellPoint> points;
  for (auto i = counts_.cbegin(); i != counts_.cend(); ++i) points.push_back(point(i));
  report_cells(ctx_, points, {first_, last_}, headroom_);
}

}  // namespace

void run_cells(Context& ctx) { CellsTest(ctx).run(); }

}  // namespace softfeb::switchtest
