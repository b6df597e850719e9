// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/path_delay.hpp"

#include "switchtest/frame_writer.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::switchtest {

PathDelay path_delay_of(std::uint32_t small, Time small_delay, std::uint32_t large, Time large_delay,
                        std::uint64_t rate_in, std::uint64_t rate_out) {
  const Time small_in = time_on_wire(small, rate_in), small_out = time_on_wire(small, rate_out);
  const Time more_in = time_on_wire(large, rate_in) - small_in;
  const Time more_out = time_on_wire(large, rate_out) - small_out;
  const Time more = large_delay - std::min(large_delay, small_delay);
  PathDelay out;
  out.cut_through = more < more_out + more_in / 2;
  const auto without = [&](Time wire) { return small_delay - std::min(small_delay, wire); };
  out.low = without(small_in + small_out);
  // A cut-through switch begins to forward after a header of unknown length.
  out.high = out.cut_through ? without(small_out) : out.low;
  return out;
}

std::optional<std::vector<Time>> unloaded_delays(Context& ctx, std::uint16_t from, FrameKind frame) {
  constexpr std::uint64_t kFrames = 10;
  frame.record = true;
  Trial trial = ctx.trial();
  const Time start = ctx.rig.settle();
  const Time gap = 2 * kMicrosecond + 10 * time_on_wire(FrameWriter::frame_length(frame),
                                                        std::min(ctx.rate(from), ctx.rate(frame.to)));
  trial.kinds.push_back(std::move(frame));
  trial.sources.push_back(
      {.port = from, .kinds = {0}, .start = start, .count = ctx.repetitions(kFrames), .gap = gap});
  trial.end = start + kFrames * gap + 2 * ctx.rig.settle() + 2 * kMillisecond;
  const auto result = ctx.run_valid(trial);
  if (!result || result->arrivals.empty()) return std::nullopt;
  std::vector<Time> out;
  for (const Arrival& a : result->arrivals) out.push_back(a.at - a.departed);
  std::sort(out.begin(), out.end());
  return out;
}

std::optional<Time> unloaded_delay(Context& ctx, std::uint16_t from, FrameKind frame) {
  const auto delays = unloaded_delays(ctx, from, std::move(frame));
  if (!delays) return std::nullopt;
  return delays->front();
}

std::optional<PathDelay> path_delay(Context& ctx, std::uint16_t from, std::uint16_t to, std::uint8_t dscp) {
  constexpr std::uint32_t kSmall = 78;
  FrameKind small = ctx.frame(to, kSmall), large = ctx.frame(to, ctx.large_size(from, to));
  small.dscp = large.dscp = dscp;
  const auto small_delay = unloaded_delay(ctx, from, small);
  const auto large_delay = unloaded_delay(ctx, from, large);
  if (!small_delay || !large_delay) return std::nullopt;
  return path_delay_of(small.length, *small_delay, large.length, *large_delay, ctx.rate(from), ctx.rate(to));
}

}  // namespace softfeb::switchtest
