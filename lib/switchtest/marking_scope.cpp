// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/marking_scope.hpp"

#include "switchtest/order_trial.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace softfeb::switchtest {

namespace {

using OtherDscps = std::vector<std::uint8_t>;

/// Returns one DSCP for each known queue of port D other than the queue of `own`. The result is empty if the
/// queue of `own` is unknown.
template <class Queue>
OtherDscps one_of_each(std::uint8_t own, const Queue& queue) {
  constexpr std::uint8_t kDscps = 64;
  OtherDscps out;
  for (std::uint8_t dscp = 0; dscp < kDscps; ++dscp) {
    if (queue(dscp) < 0 || queue(own) < 0 || queue(dscp) == queue(own)) continue;
    if (std::none_of(out.begin(), out.end(), [&](std::uint8_t d) { return queue(d) == queue(dscp); }))
      out.push_back(dscp);
  }
  return out;
}

/// Returns the class selectors whose frames overtake frames of the kind `own`, or are overtaken by them.
OtherDscps other_queues_by_order(Context& ctx, const FrameKind& own) {
  constexpr std::uint8_t kClasses = 8;
  std::vector<FrameKind> items{own};
  for (std::uint8_t c = 0; c < kClasses; ++c) {
    items.push_back(own);
    items.back().dscp = static_cast<std::uint8_t>(8 * c);
  }
  OrderTrials trials(ctx, items, Freeze{.kind = roce::MacControl::Kind::kPause});
  ItemList others;
  for (std::size_t i = 1; i < items.size(); ++i) others.push_back(i);
  std::vector<bool> other_queue(others.size());
  for (const bool first : {false, true}) {
    const auto changed = trials.answer({.item = 0, .others = others, .others_first = first});
    if (!changed) return {};
    for (std::size_t i = 0; i < others.size(); ++i) other_queue[i] = other_queue[i] || (*changed)[i];
  }
  OtherDscps out;
  for (std::size_t i = 0; i < others.size(); ++i)
    if (other_queue[i]) out.push_back(items[others[i]].dscp);
  return out;
}

/// Returns DSCPs of queues other than the queue of `own`.
OtherDscps other_queues(Context& ctx, const FrameKind& own) {
  if (const auto& queues = ctx.findings.queue_of_dscp)
    return one_of_each(own.dscp, [&](std::uint8_t d) {
      return (*queues)[d] == Findings::kNoQueue ? -1 : static_cast<int>((*queues)[d]);
    });
  if (ctx.findings.obeyed == roce::PauseMode::kPfc)
    return one_of_each(own.dscp, [&](std::uint8_t d) {
      const auto& priority = ctx.findings.priority_of_dscp[d];
      return priority ? static_cast<int>(*priority) : -1;
    });
  return other_queues_by_order(ctx, own);
}

/// Returns the log-likelihood of the marks of a train. The marking probability of each frame is limited to
/// the range from 0.01 to 0.99, so that a single unlikely mark does not decide which scope is chosen.
double scope_likelihood(const MarkedTrain& train, const MarkingResult& result, std::uint32_t length) {
  constexpr double kLeast = 0.01;
  double sum = 0;
  for (const QueuedFrame& f : train.frames) {
    const double share = result.fit->share(static_cast<double>(f.depth(result.at)) * length);
    const double p = std::clamp(share, kLeast, 1 - kLeast);
    sum += std::log(f.marked ? p : 1 - p);
  }
  return sum;
}

}  // namespace

void find_marking_scope(Context& ctx, MarkingStimulus& stimulus, std::uint64_t full, MarkingResult& result) {
  constexpr int kTrains = 8;
  constexpr double kDecisive = 6;
  constexpr std::uint64_t kMostFrames = 16;
  if (!stimulus.freezes()) {
    result.no_scope = "the switch does not obey pause frames, so two queues cannot be filled independently";
    return;
  }
  const auto below = static_cast<std::uint64_t>(result.fit->kmin.low / stimulus.length());
  const std::uint64_t frames = std::clamp<std::uint64_t>(below, 1, kMostFrames);
  double queue = 0, port = 0;
  bool tried = false;
  for (const std::uint8_t other : other_queues(ctx, stimulus.frame())) {
    std::uint64_t others = full;
    tried = true;
    for (int i = 0; i < kTrains && others != 0; ++i) {
      const auto seen = stimulus.beside_full(other, others, frames);
      if (!seen) {
        result.no_scope = stimulus.failure().empty() ? ctx.last_void_reason() : stimulus.failure();
        return;
      }
      if (seen->alone.dropped != 0) others /= 2;
      queue += scope_likelihood(seen->alone, result, stimulus.length());
      port += scope_likelihood(seen->together, result, stimulus.length());
      if (std::abs(queue - port) < kDecisive) continue;
      result.scope = queue > port ? "queue" : "port";
      return;
    }
    result.no_scope = "a full queue beside that of the train does not decide";
  }
  if (!tried) result.no_scope = "no frames with another DSCP are known to use another queue of port D";
}

}  // namespace softfeb::switchtest
