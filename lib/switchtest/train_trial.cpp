// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/train_trial.hpp"

#include "fabric/wire_time.hpp"
#include "switchtest/frame_writer.hpp"

#include <algorithm>
#include <cmath>

namespace softfeb::switchtest {

std::uint64_t train_error(const Context& ctx, const TrialResult& result, const FrameKind& frame,
                          const std::vector<std::uint16_t>& senders) {
  if (ctx.exact()) return 0;
  double in = 0;
  for (const std::uint16_t port : senders) in += static_cast<double>(ctx.rate(port));
  const auto out = static_cast<double>(ctx.rate(frame.to));
  if (in <= out) return 0;
  const double bytes = to_seconds(result.late_max + result.time_error) * in;
  const double frames = bytes / static_cast<double>(fabric::wire_bytes(FrameWriter::frame_length(frame)));
  return static_cast<std::uint64_t>(std::ceil(frames / (1 - out / in) / static_cast<double>(senders.size())));
}

Trial TrainTrial::script(std::uint64_t frames) const {
  Trial out = ctx_.trial();
  const std::uint16_t to = ctx_.roles().d;
  out.obedience.assign(ctx_.rig.ports().size(), {.obeys = false});
  const Time start = ctx_.rig.settle();
  std::uint64_t slowest = ctx_.rate(to);
  for (const std::uint16_t port : senders_) {
    const auto kind = static_cast<std::uint16_t>(out.kinds.size());
    out.kinds.push_back(ctx_.frame(to, size_));
    out.kinds.back().record = true;
    out.sources.push_back({.port = port, .kinds = {kind}, .start = start, .count = frames});
    slowest = std::min(slowest, ctx_.rate(port));
  }
  // If the switch is slower than its ports, the frames take longer, so allow twice the time.
  const Time each = time_on_wire(out.kinds.front().length, slowest);
  out.end = start + 2 * each * frames * senders_.size() + 2 * ctx_.rig.settle();
  return out;
}

std::optional<TrainTrial::Seen> TrainTrial::send(std::uint64_t frames) {
  const auto result = ctx_.run_valid(script(frames));
  if (!result) return std::nullopt;
  std::vector<std::vector<bool>> came(senders_.size(), std::vector<bool>(frames));
  for (const Arrival& a : result->arrivals)
    if (a.intact && a.sequence < frames) came[a.kind][a.sequence] = true;
  Seen out{.lossless = frames};
  for (std::size_t s = 0; s < senders_.size(); ++s) {
    out.lost += result->kinds[s].missing();
    const auto first = std::find(came[s].begin(), came[s].end(), false) - came[s].begin();
    out.lossless = std::min(out.lossless, static_cast<std::uint64_t>(first));
  }
  out.error = train_error(ctx_, *result, ctx_.frame(ctx_.roles().d, size_), senders_);
  return out;
}

}  // namespace softfeb::switchtest
