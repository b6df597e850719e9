// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/storm_bystanders.hpp"

#include "switchtest/estimators.hpp"
#include "switchtest/known_queues.hpp"
#include "switchtest/seen_pauses.hpp"
#include "switchtest/storm_trial.hpp"

#include <algorithm>
#include <string>

namespace softfeb::switchtest {

namespace {

/// A pause storm, and streams of other traffic during the storm.
class BystanderTrial {
 public:
  BystanderTrial(Context& ctx, Time storm, Time rest);
  bool run();

 private:
  std::optional<std::uint16_t> add_stream(std::uint16_t to, std::uint8_t dscp);
  void add_class();
  void add_port();
  void report(const char* stream, const std::optional<std::uint16_t>& kind, const TrialResult& result,
              const std::string& reason);

  Context& ctx_;
  Trial trial_;
  Time storm_ = 0, gap_ = 0;
  std::uint32_t size_ = 0;
  std::optional<std::uint16_t> class_, port_;  ///< kinds of the streams in another class and to port E
  std::string class_reason_;                   ///< why there is no stream of another class
};

BystanderTrial::BystanderTrial(Context& ctx, Time storm, Time rest)
    : ctx_(ctx), trial_(ctx.trial()), storm_(storm) {
  constexpr std::uint64_t kPart = 10;  // each stream has 1/kPart of port A's rate
  trial_.all_pauses = false;
  const Roles& roles = ctx.roles();
  size_ = ctx.large_size(roles.a, roles.d);
  if (roles.e) size_ = std::min(size_, ctx.large_size(roles.a, *roles.e));
  gap_ = kPart * time_on_wire(size_ - kFcsSize, ctx.rate(roles.a));
  const Time released = ctx.rig.settle() + storm_;
  trial_.freezes.push_back(StormTrials(ctx).freeze(0, released));
  trial_.end = released + rest + 100 * kMillisecond + 2 * ctx.rig.settle();
}

/// Adds a stream to port `to`. The frames of all streams are evenly spaced. Returns std::nullopt if the port
/// is too slow for the stream.
std::optional<std::uint16_t> BystanderTrial::add_stream(std::uint16_t to, std::uint8_t dscp) {
  const auto kind = static_cast<std::uint16_t>(trial_.kinds.size());
  FrameKind frame = ctx_.frame(to, size_);
  frame.dscp = dscp;
  if (time_on_wire(frame.length, ctx_.rate(to)) > gap_) return std::nullopt;
  trial_.kinds.push_back(frame);
  constexpr std::uint64_t kStreams = 3;
  const Time start = ctx_.rig.settle() + kind * gap_ / kStreams;
  trial_.sources.push_back(
      {.port = ctx_.roles().a, .kinds = {kind}, .start = start, .end = start + storm_, .gap = gap_});
  return kind;
}

/// Adds a stream to port D in a class that is not paused.
void BystanderTrial::add_class() {
  class_reason_ = "the pauses of port D stop all classes";
  if (ctx_.findings.obeyed == roce::PauseMode::kPause) return;
  const KnownQueues queues = known_queues(ctx_);
  const auto other = other_dscp(ctx_, queues);
  if (other) class_ = add_stream(ctx_.roles().d, *other);
  class_reason_ = queues.dscps.empty() ? queues.reason : "no other queue is known";
}

void BystanderTrial::add_port() {
  const Roles& roles = ctx_.roles();
  if (roles.e && *roles.e != roles.a && *roles.e != roles.d) port_ = add_stream(*roles.e, ctx_.settings.dscp);
}

void BystanderTrial::report(const char* stream, const std::optional<std::uint16_t>& kind,
                            const TrialResult& result, const std::string& reason) {
  const std::map<std::string, std::string> labels{{"stream", stream}};
  if (!kind) {
    ctx_.add_without_value("bystander_loss", Status::kUnresolvable, reason).labels = labels;
    return;
  }
  // Frames that port A could not send because the switch paused it count as lost.
  const std::uint64_t due = (storm_ + gap_ - 1) / gap_, arrived = result.kinds[*kind].arrived;
  const Interval loss = wilson(due - std::min(due, arrived), due);
  ctx_.add({.name = "bystander_loss",
            .labels = labels,
            .value = 100 * loss.value,
            .low = 100 * loss.low,
            .high = 100 * loss.high,
            .unit = "%",
            .method = Method::kMean});
}

bool BystanderTrial::run() {
  add_stream(ctx_.roles().d, ctx_.settings.dscp);
  add_class();
  add_port();
  const auto result = ctx_.run_valid(trial_);
  if (!result) return false;
  report("class", class_, *result, class_reason_);
  report("port", port_, *result, "there is no port E that could receive the stream");
  const auto pauses = static_cast<double>(count_pauses(*result));
  Figure& passed = ctx_.add(
      {.name = "pauses_passed_on", .value = pauses, .low = pauses, .high = pauses, .unit = "frames"});
  if (result->unrecorded_pauses != 0) {
    passed.high.reset();
    passed.status = Status::kBounded;
    passed.reason = "more pause frames arrived than are recorded";
  }
  return true;
}

}  // namespace

bool measure_bystanders(Context& ctx, Time storm, Time rest) {
  return BystanderTrial(ctx, storm, rest).run();
}

}  // namespace softfeb::switchtest
