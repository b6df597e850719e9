// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/freeze.hpp"

#include "base/uint128.hpp"
#include "switchtest/frame_writer.hpp"

#include <algorithm>

namespace softfeb::switchtest {

namespace {

std::optional<Freeze> freeze_of(const Context& ctx, std::uint16_t port, std::uint8_t dscp) {
  Freeze out{.port = port};
  if (ctx.findings.obeyed == roce::PauseMode::kOff) return std::nullopt;
  if (ctx.findings.obeyed == roce::PauseMode::kPause) return out;
  out.kind = roce::MacControl::Kind::kPfc;
  const auto& priority = ctx.findings.priority_of_dscp[dscp];
  if (!priority) return std::nullopt;
  out.classes = static_cast<std::uint8_t>(1U << *priority);
  return out;
}

}  // namespace

std::optional<FreezeTrial> FreezeTrial::create(Context& ctx, std::uint16_t port, std::uint8_t dscp) {
  FreezeTrial out;
  out.trial = ctx.trial();
  if (!out.also(ctx, port, dscp)) return std::nullopt;
  out.end_ = ctx.rig.settle();
  return out;
}

bool FreezeTrial::also(Context& ctx, std::uint16_t port, std::uint8_t dscp) {
  const auto freeze = freeze_of(ctx, port, dscp);
  if (!freeze) return false;
  for (Freeze& f : trial.freezes) {
    if (f.port != port) continue;
    f.classes = static_cast<std::uint8_t>(f.classes | freeze->classes);
    return true;
  }
  trial.freezes.push_back(*freeze);
  return true;
}

std::uint16_t FreezeTrial::send(Context& ctx, std::uint16_t port, FrameKind kind, std::uint64_t count,
                                Time gap) {
  const auto index = static_cast<std::uint16_t>(trial.kinds.size());
  kind.record = true;
  trial.kinds.push_back(kind);
  trial.sources.push_back(
      {.port = port, .kinds = {index}, .start = end_, .count = count, .gap = gap, .seed = ctx.seed()});
  const Time each = std::max(gap, time_on_wire(FrameWriter::frame_length(kind), ctx.rate(port)));
  end_ += each * count + ctx.rig.settle();
  return index;
}

void FreezeTrial::release(const Context& ctx, std::uint64_t bytes) {
  released_ = end_;
  Time longest = 0;
  for (Freeze& f : trial.freezes) {
    f.until = released_;
    // For 18 MB or more, the product of bytes and picoseconds per second exceeds 64 bits.
    longest = std::max(longest, static_cast<Time>(Uint128{bytes} * kSecond / ctx.rate(f.port)));
  }
  trial.end = released_ + longest + 2 * ctx.rig.settle();
}

bool FreezeTrial::lapsed(const TrialResult& result) const {
  return std::any_of(result.arrivals.begin(), result.arrivals.end(),
                     [&](const Arrival& a) { return a.at < released_ && freezes(a); });
}

/// True if the port at which this frame arrived had told the switch to hold the frame back.
bool FreezeTrial::freezes(const Arrival& a) const {
  const FrameKind& kind = trial.kinds[a.kind];
  const unsigned priority = kind.vlan ? kind.vlan->pcp : trial.priority_of_dscp[kind.dscp];
  return std::any_of(trial.freezes.begin(), trial.freezes.end(), [&](const Freeze& f) {
    return f.port == a.port && (f.kind == roce::MacControl::Kind::kPause || (f.classes >> priority & 1) != 0);
  });
}

}  // namespace softfeb::switchtest
