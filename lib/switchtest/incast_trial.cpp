// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/incast_trial.hpp"

#include "switchtest/seen_pauses.hpp"
#include "switchtest/train_trial.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::switchtest {

namespace {

Time skew_of(const TrialResult& result) {
  const auto [least, most] = std::minmax_element(result.start_skew.begin(), result.start_skew.end());
  return *most - *least;
}

}  // namespace

IncastTrials::IncastTrials(Context& ctx, std::vector<std::uint16_t> senders)
    : ctx_(ctx), senders_(std::move(senders)) {
  std::uint32_t size = UINT32_MAX;
  for (const std::uint16_t s : senders_) size = std::min(size, ctx.large_size(s, ctx.roles().d));
  frame_ = ctx.frame(ctx.roles().d, size);
}

bool IncastTrials::overload() const {
  std::uint64_t sum = 0;
  for (const std::uint16_t s : senders_) sum += ctx_.rate(s);
  return sum > ctx_.rate(ctx_.roles().d);
}

Time IncastTrials::frame_time() const {
  Time out = 0;
  for (const std::uint16_t s : senders_) out = std::max(out, time_on_wire(frame_.length, ctx_.rate(s)));
  return out;
}

std::string IncastTrials::failure() const {
  const std::string reason = ctx_.last_void_reason();
  return reason.empty() ? "the senders did not start at the same time" : reason;
}

Trial IncastTrials::script(std::uint64_t frames) const {
  Trial out = ctx_.trial();
  out.all_pauses = false;
  const Time start = 2 * ctx_.rig.settle();
  for (const std::uint16_t s : senders_) {
    const auto kind = static_cast<std::uint16_t>(out.kinds.size());
    out.kinds.push_back(frame_);
    out.sources.push_back({.port = s, .kinds = {kind}, .start = start, .count = frames});
  }
  // After a pause, port D may be idle until a sender resumes, so a burst may take longer than its frames need
  // on the wire.
  const Time most = frames * senders_.size() * time_on_wire(frame_.length, ctx_.rate(ctx_.roles().d));
  out.end = start + std::max(frames * frame_time(), 2 * most) + kMillisecond + 2 * ctx_.rig.settle();
  return out;
}

/// Repeats a trial if a sender starts too late: by more than 100 ns and more than the time of a frame.
std::optional<BurstOutcome> IncastTrials::run(std::uint64_t frames) {
  constexpr Time kLeastSkew = 100 * kNanosecond;
  constexpr int kAttempts = 5;
  for (int i = 0; i < kAttempts; ++i) {
    const auto result = ctx_.run_valid(script(frames));
    if (!result) return std::nullopt;
    if (learn_pauses(ctx_, *result)) continue;
    const Time skew = skew_of(*result);
    if (skew > std::max(kLeastSkew, frame_time())) continue;
    skew_ = std::max(skew_, skew);
    BurstOutcome out{.pauses = count_pauses(*result), .error = train_error(ctx_, *result, frame_, senders_)};
    for (const KindStats& k : result->kinds) {
      out.marked += k.ecn[static_cast<std::size_t>(roce::Ecn::kCe)];
      out.lost += k.missing();
    }
    return out;
  }
  return std::nullopt;
}

std::uint64_t IncastTrials::error(std::uint64_t frames, std::uint64_t BurstOutcome::*count,
                                  bool caused) const {
  const auto known = outcomes_.find(frames);
  if (known == outcomes_.end()) return 0;
  std::optional<std::uint64_t> least;
  for (const auto& outcome : known->second)
    if (outcome && ((*outcome).*count != 0) == caused)
      least = std::min(least.value_or(UINT64_MAX), outcome->error);
  return least.value_or(0);
}

std::optional<BurstOutcome> IncastTrials::outcome(std::uint64_t frames, std::size_t repetition) {
  auto& known = outcomes_[frames];
  while (known.size() <= repetition) known.push_back(run(frames));
  return known[repetition];
}

}  // namespace softfeb::switchtest
