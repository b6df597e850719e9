// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/train_trial.hpp"

#include "switchtest/train_error.hpp"

#include <algorithm>
#include <cmath>

namespace softfeb::switchtest {

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
  // A switch that is slower than its ports needs up to twice the time.
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
  double in = 0;
  for (const std::uint16_t port : senders_) in += static_cast<double>(ctx_.rate(port));
  const auto to = static_cast<double>(ctx_.rate(ctx_.roles().d));
  if (!ctx_.exact() && in > to)
    out.error = static_cast<std::uint64_t>(
        std::ceil(frames_of_error(*result, ctx_.frame(ctx_.roles().d, size_).length, in, to) /
                  static_cast<double>(senders_.size())));
  return out;
}

}  // namespace softfeb::switchtest
