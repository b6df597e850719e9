// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/paused_drain.hpp"

#include "fabric/wire_time.hpp"
#include "switchtest/frame_writer.hpp"

#include <algorithm>

namespace softfeb::switchtest {

namespace {

constexpr Time kFramesBefore = 4;  ///< frames that leave before the pause
/// Time in which the rest of the queue can leave even if the switch pauses late or not at all.
constexpr Time kMargin = kMillisecond;

std::uint64_t drain_bytes(const FrameKind& frame, std::uint64_t frames) {
  return frames * fabric::wire_bytes(FrameWriter::frame_length(frame));
}

}  // namespace

std::optional<PausedDrain> PausedDrain::create(Context& ctx, const FrameKind& frame, std::uint64_t frames) {
  auto freeze = FreezeTrial::create(ctx, frame.to, frame.dscp);
  if (!freeze) return std::nullopt;
  freeze->trial.obedience.assign(ctx.rig.ports().size(), {.obeys = false});
  const std::uint64_t rate = ctx.rate(frame.to);
  PausedDrain out(std::move(*freeze), time_on_wire(FrameWriter::frame_length(frame), rate), rate);
  out.wire_ = drain_bytes(frame, frames);
  out.kind_ = out.freeze_.send(ctx, ctx.roles().a, frame, frames);
  return out;
}

std::optional<std::uint16_t> PausedDrain::beside(Context& ctx, const FrameKind& frame, std::uint64_t frames) {
  if (!freeze_.also(ctx, frame.to, frame.dscp)) return std::nullopt;
  wire_ += drain_bytes(frame, frames);
  return freeze_.send(ctx, ctx.roles().a, frame, frames);
}

void PausedDrain::pause(const Context& ctx, std::uint16_t quanta, double phase) {
  freeze_.release(ctx, wire_);
  for (Source& source : freeze_.trial.sources) source.end = freeze_.released_at();
  quanta_ = quanta;
  expected_ = roce::pause_time(quanta, rate_);
  pause_ = freeze_.released_at() + kFramesBefore * frame_time_ +
           static_cast<Time>(phase * static_cast<double>(frame_time_));
  freeze_.trial.pauses.push_back({frozen_.port, pause_, pause_of(frozen_, quanta)});
  freeze_.trial.end += expected_ + kMargin;
}

void PausedDrain::resume(Time after) {
  freeze_.trial.pauses.push_back({frozen_.port, pause_ + after, pause_of(frozen_, 0)});
  expected_ = after;
}

std::string PausedDrain::flaw(const TrialResult& result) const {
  return freeze_.lapsed(result) ? "frames left the switch although the port had paused it" : "";
}

std::optional<Time> PausedDrain::paused_at(const TrialResult& result) const {
  const roce::MacControl control = pause_of(frozen_, quanta_);
  for (const PauseSent& p : result.sent_pauses)
    if (p.port == frozen_.port && p.departed >= freeze_.released_at() && p.control == control)
      return p.departed + time_on_wire(roce::kMacControlSize, rate_);
  return std::nullopt;
}

std::optional<Silence> PausedDrain::silence(const TrialResult& result) const {
  const auto paused = paused_at(result);
  // An interruption of a loop of the rig also causes gaps, which can be as long as the time error. If the
  // expected silence is not much longer, the gaps cannot be distinguished from it.
  if (!paused || expected_ < 2 * result.time_error) return std::nullopt;
  const Arrival* before = nullptr;
  const Arrival* after = nullptr;
  const Arrival* previous = nullptr;
  for (const Arrival& a : result.arrivals) {
    if (a.kind != kind_ || a.port != frozen_.port) continue;
    const bool longer =
        previous != nullptr && (after == nullptr || a.at - previous->at > after->at - before->at);
    if (longer && a.at > *paused) {
      before = previous;
      after = &a;
    }
    previous = &a;
  }
  // Without a pause, one frame follows another after one frame time. A gap counts as a silence only if it is
  // longer than the mean of this time and the expected silence.
  if (after == nullptr || 2 * (after->at - before->at) < frame_time_ + expected_) return std::nullopt;
  const auto since = [&](const Arrival& a) {
    return static_cast<double>(a.at) - static_cast<double>(*paused);
  };
  return Silence{since(*before), since(*after), static_cast<double>(result.time_error)};
}

}  // namespace softfeb::switchtest
