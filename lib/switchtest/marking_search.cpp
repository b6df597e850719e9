// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/marking_search.hpp"

#include <algorithm>

namespace softfeb::switchtest {

std::uint64_t TrainLength::beyond(std::uint32_t certain) {
  constexpr std::uint64_t kMargin = 8;
  return std::min<std::uint64_t>(kMost, std::uint64_t{certain} + certain / 2 + kMargin);
}

std::optional<TrainLength> find_train_length(MarkingStimulus& stimulus) {
  constexpr std::uint64_t kFirst = 32;
  TrainLength out{.frames = kFirst};
  for (;; out.frames *= 2) {
    const auto train = stimulus.train(out.frames);
    if (!train) {
      // In real time, all trials with a long train may be void. The previous, shorter train was valid.
      if (out.frames == kFirst || !stimulus.failure().empty()) return std::nullopt;
      out.frames /= 2;
      return out;
    }
    out.counts.add(*train);
    out.full = train->dropped != 0;
    if (out.full && stimulus.freezes()) out.frames = std::max<std::uint64_t>(1, train->frames.size());
    if (out.full || out.frames >= TrainLength::kMost) return out;
    if (!out.counts.any_marked() || !saturated(*train)) continue;
    MarkingCounts one;
    one.add(*train);
    // The switch marks either at enqueue or at dequeue. If depths are taken at the wrong place, it may seem
    // that only frames at the end of the train are always marked. Therefore, use the smaller of the two
    // depths.
    const std::uint32_t certain =
        std::min(one.certain_from(MarkedAt::kEnqueue), one.certain_from(MarkedAt::kDequeue));
    if (certain != 0) out.frames = TrainLength::beyond(certain);
    return out;
  }
}

}  // namespace softfeb::switchtest
