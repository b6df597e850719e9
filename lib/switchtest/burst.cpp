// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/wire_time.hpp"
#include "switchtest/context.hpp"
#include "switchtest/estimators.hpp"
#include "switchtest/tests.hpp"
#include "switchtest/train_trial.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace softfeb::switchtest {

namespace {

/// The test `burst`: finds the longest train at line rate that passes without loss, for each frame size.
class BurstTest {
 public:
  explicit BurstTest(Context& ctx);
  void run();

 private:
  /// Length of the longest train that passes without loss, in frames of each sender.
  struct Longest {
    double each = 0;                    ///< best estimate of the length
    std::uint64_t low = 0;              ///< a train of this length passes
    std::optional<std::uint64_t> fail;  ///< a train of this length loses frames; empty if none is known
  };

  std::uint64_t limit(std::uint32_t size) const;
  std::optional<Longest> find(std::uint32_t size);
  std::optional<Longest> repeat(TrainTrial& trains, std::uint64_t overlong, TrainTrial::Seen seen);
  bool validate(TrainTrial& trains, Longest& found);
  std::optional<double> excess(std::uint32_t size, std::string& reason) const;
  void report(std::uint32_t size, const Longest& found);

  Context& ctx_;
  std::vector<std::uint16_t> senders_;
  std::uint64_t rate_in_ = 0;
  std::uint64_t bytes_ = 0;  ///< bytes that each sender sends in the longest lossless train so far
};

/// If port A is faster than port D, only A sends. Otherwise, port B sends as well, so that the queue grows.
BurstTest::BurstTest(Context& ctx) : ctx_(ctx), senders_{ctx.roles().a} {
  const Roles& roles = ctx.roles();
  if (ctx.rate(roles.a) <= ctx.rate(roles.d) && roles.b) senders_.push_back(*roles.b);
  for (const std::uint16_t port : senders_) rate_in_ += ctx.rate(port);
}

/// Returns the number of frames that each sender sends in the longest train to try. All senders together send
/// at most TrainTrial::kMostFrames frames. On a rig that is not virtual, the train lasts at most 2 s with the
/// standard effort (RFC 2544, §26.4). On a virtual rig, if the senders together are not faster than D, each
/// sender sends only kEnough frames, because the queue does not grow.
std::uint64_t BurstTest::limit(std::uint32_t size) const {
  constexpr std::uint64_t kEnough = 20'000;
  const std::uint64_t most = TrainTrial::kMostFrames / senders_.size();
  if (ctx_.exact()) return rate_in_ > ctx_.rate(ctx_.roles().d) ? most : kEnough;
  const Time each = time_on_wire(size - kFcsSize, ctx_.rate(ctx_.roles().a));
  return std::min(most, ctx_.duration(2 * kSecond, 30 * kSecond) / each);
}

/// Doubles the length of the train until frames are lost, and then counts the frames before the first loss.
/// Returns std::nullopt if the rig failed.
std::optional<BurstTest::Longest> BurstTest::find(std::uint32_t size) {
  constexpr std::uint64_t kFirst = 64;
  TrainTrial trains(ctx_, senders_, size);
  const std::uint64_t most = limit(size);
  // The memory is about the same for all frame sizes, so the search for a size starts from the number of
  // bytes that passed with earlier sizes.
  std::uint64_t frames = std::max(kFirst, bytes_ * 5 / 4 / size);
  for (;; frames *= 2) {
    frames = std::min(frames, most);
    const auto seen = trains.send(frames);
    if (!seen) return std::nullopt;
    if (seen->lost != 0) return repeat(trains, frames, *seen);
    if (frames == most)
      return Longest{.each = static_cast<double>(frames), .low = frames - std::min(frames, seen->error)};
  }
}

/// Repeats a train that loses frames. Each repetition yields an interval for the length of the longest
/// lossless train; the result is the intersection of these intervals. Returns std::nullopt if the rig failed.
std::optional<BurstTest::Longest> BurstTest::repeat(TrainTrial& trains, std::uint64_t overlong,
                                                    TrainTrial::Seen seen) {
  constexpr unsigned kStandard = 50;
  CommonInterval lengths;
  for (unsigned left = ctx_.repetitions(kStandard);;) {
    const auto length = static_cast<double>(seen.lossless), error = static_cast<double>(seen.error);
    lengths.add(std::max(length - error, 0.0), length + error);
    if (--left == 0) break;
    const auto next = trains.send(overlong);
    if (!next) return std::nullopt;
    seen = *next;
  }
  const Interval all = lengths.result();
  Longest out{.each = all.value,
              .low = static_cast<std::uint64_t>(all.low),
              .fail = static_cast<std::uint64_t>(all.high) + 1};
  if (!validate(trains, out)) return std::nullopt;
  return out;
}

/// Checks that a train as long as the lower bound passes, and that a train as long as the upper bound does
/// not pass. Otherwise, lowers the lower bound, or removes the upper bound. Returns false if the rig failed.
bool BurstTest::validate(TrainTrial& trains, Longest& found) {
  while (found.low != 0) {
    const auto seen = trains.send(found.low);
    if (!seen) return false;
    if (seen->lost == 0) break;
    found.low = std::min(seen->lossless, found.low - 1);
  }
  const auto above = trains.send(*found.fail);
  if (!above) return false;
  // If the train passes, this disproves the upper bound only if the train's error is 0. Otherwise, some
  // frames may have left late.
  if (above->lost == 0 && above->error == 0) found.fail.reset();
  return true;
}

/// Returns the share of the frames of a train that must wait because the train arrives faster than it leaves.
/// If the share is unknown, returns std::nullopt and sets `reason`.
std::optional<double> BurstTest::excess(std::uint32_t size, std::string& reason) const {
  const Roles& roles = ctx_.roles();
  if (senders_.size() == 2 && ctx_.rate(senders_[0]) != ctx_.rate(senders_[1])) {
    reason = "the senders have different rates, so their trains do not end at the same time";
    return std::nullopt;
  }
  double out = static_cast<double>(ctx_.rate(roles.d));
  if (const auto it = ctx_.findings.load.find(size);
      it != ctx_.findings.load.end() && !ctx_.findings.load_of_rig.contains(size))
    out = it->second * static_cast<double>(std::min(ctx_.rate(roles.a), ctx_.rate(roles.d)));
  const double share = 1 - out / static_cast<double>(rate_in_);
  if (share > 0) return share;
  reason = "the ports have equal rates, so a train does not fill the memory; this needs a third port";
  return std::nullopt;
}

void BurstTest::report(std::uint32_t size, const Longest& found) {
  std::string reason;
  const auto share = excess(size, reason);
  const double senders = static_cast<double>(senders_.size()), length = size - kFcsSize;
  const double wire_ns =
      1e9 * static_cast<double>(fabric::wire_bytes(size - kFcsSize)) / static_cast<double>(rate_in_);
  const std::map<std::string, std::string> labels{{"size", std::to_string(size)}};
  const auto add = [&](const char* name, std::optional<double> scale, const char* unit) {
    Figure figure{.name = name, .labels = labels, .unit = unit, .method = Method::kSearch};
    if (!scale) {
      figure.status = Status::kUnresolvable;
      figure.reason = reason;
      ctx_.add(figure);
      return;
    }
    figure.value = *scale * found.each;
    figure.low = *scale * static_cast<double>(found.low);
    if (found.fail) {
      figure.high = *scale * static_cast<double>(*found.fail);
    } else {
      figure.status = Status::kBounded;
      figure.reason = share ? "the longest train that the rig can send passes" : reason;
    }
    ctx_.add(figure);
  };
  const auto of_share = [&](double scale) { return share ? std::optional(*share * scale) : std::nullopt; };
  add("frames", senders, "frames");
  add("bytes", senders * length, "B");
  add("implied_buffer_bytes", of_share(senders * length), "B");
  add("corrected_buffer_ns", of_share(senders * wire_ns), "ns");
}

void BurstTest::run() {
  std::vector<std::pair<std::uint32_t, std::string>> failed;  // failed sizes, each with the reason
  const auto sizes = ctx_.sizes(ctx_.roles().a, ctx_.roles().d);
  for (const std::uint32_t size : sizes) {
    const auto found = find(size);
    if (!found) {
      failed.emplace_back(size, ctx_.last_void_reason());
      continue;
    }
    if (found->fail) bytes_ = std::max(bytes_, found->low * size);
    report(size, *found);
  }
  if (failed.size() == sizes.size()) return ctx_.inconclusive();
  for (const auto& [size, reason] : failed)
    ctx_.add_without_value("frames", Status::kInconclusive, reason).labels = {{"size", std::to_string(size)}};
}

}  // namespace

void run_burst(Context& ctx) { BurstTest(ctx).run(); }

}  // namespace softfeb::switchtest
