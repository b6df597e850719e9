// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/slow_drain.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::switchtest {

namespace {

constexpr std::uint16_t kLongestPause = 0xffff;

}  // namespace

SlowDrain::SlowDrain(const Context& ctx, FreezeTrial freeze, std::uint64_t cycles, Time cycle,
                     Time frame_time)
    : freeze_(std::move(freeze)), frozen_(freeze_.trial.freezes.front()) {
  freeze_.release(ctx, 0);
  const Time renewal = roce::pause_time(kLongestPause, ctx.rate(frozen_.port)) / 4;
  for (std::uint64_t k = 0; k < cycles; ++k) {
    const Time begin = freeze_.released_at() + k * cycle;
    // In the first cycle, the end of the freeze itself resumes the switch.
    if (k != 0) add_pause(begin, 0);
    for (Time at = begin + frame_time / 2; at < begin + cycle; at += renewal) add_pause(at, kLongestPause);
  }
  const Time end = freeze_.released_at() + cycles * cycle;
  add_pause(end, 0);
  freeze_.trial.end = end + cycles * frame_time + 2 * ctx.rig.settle();
}

void SlowDrain::add_pause(Time at, std::uint16_t quanta) {
  freeze_.trial.pauses.push_back({frozen_.port, at, pause_of(frozen_, quanta)});
}

std::uint64_t arrived_before(const TrialResult& result, std::uint16_t kind, Time time) {
  return static_cast<std::uint64_t>(
      std::count_if(result.arrivals.begin(), result.arrivals.end(),
                    [&](const Arrival& a) { return a.kind == kind && a.at < time; }));
}

}  // namespace softfeb::switchtest
