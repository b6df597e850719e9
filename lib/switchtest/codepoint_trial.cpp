// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/codepoint_trial.hpp"

#include "roce/headers.hpp"
#include "switchtest/freeze.hpp"

#include <algorithm>

namespace softfeb::switchtest {

namespace {

constexpr std::uint32_t kLongerIpv6 = roce::kIpv6Size - roce::kIpv4Size;
/// Bytes that a frame occupies on the wire in addition to its length: FCS, preamble and gap.
constexpr std::uint32_t kBeyondFrame = 24;

}  // namespace

std::uint64_t CodepointTrial::Counts::lost() const {
  std::uint64_t out = 0;
  for (const CodepointCounts& c : by_ip)
    for (const roce::Ecn ecn : {roce::Ecn::kEct0, roce::Ecn::kEct1, roce::Ecn::kCe})
      out += c.missing[static_cast<std::size_t>(ecn)];
  return out;
}

CodepointTrial::CodepointTrial(Context& ctx, const FrameKind& frame) : ctx_(ctx) {
  for (const bool v6 : {false, true})
    for (std::size_t ecn = 0; ecn < kEcnValues && !(v6 && frame.plain_udp); ++ecn) {
      FrameKind& kind = kinds_.emplace_back(frame);
      kind.ecn = static_cast<roce::Ecn>(ecn);
      kind.ipv6 = v6;
      kind.length += v6 ? kLongerIpv6 : 0;
      kind.record = true;
    }
}

/// Time that the longest frame takes on the wire of a port.
Time CodepointTrial::wire_time(std::uint16_t port) const {
  return time_on_wire(kinds_.back().length, ctx_.rate(port));
}

/// Returns a source that sends `each` frames of each kind in kinds_. The kinds in kinds_ must be the first
/// kinds of the trial.
Source CodepointTrial::source(std::uint64_t each) const {
  Source out{.port = ctx_.roles().a, .count = each * kinds_.size()};
  for (std::uint16_t k = 0; k < kinds_.size(); ++k) out.kinds.push_back(k);
  return out;
}

CodepointTrial::Counts CodepointTrial::counts_of(const TrialResult& result) const {
  Counts out;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    CodepointCounts& counts = out.by_ip[kinds_[k].ipv6 ? 1 : 0];
    const auto ecn = static_cast<std::size_t>(kinds_[k].ecn);
    counts.sent[ecn] = result.kinds[k].sent;
    counts.missing[ecn] =
        result.kinds[k].missing() - std::min(result.kinds[k].missing(), result.kinds[k].damaged);
  }
  for (const Arrival& a : result.arrivals)
    if (a.port == ctx_.roles().d && a.kind < kinds_.size())
      out.by_ip[kinds_[a.kind].ipv6 ? 1 : 0].add(kinds_[a.kind], a);
  out.unknown = result.foreign;
  return out;
}

std::optional<CodepointTrial::Counts> CodepointTrial::empty_queue(std::uint64_t each) {
  // Time from the start of a frame to the start of the next. The unit is the time that a frame takes on the
  // wire of the slower port.
  constexpr Time kApart = 4;
  Trial trial = ctx_.trial();
  trial.kinds = kinds_;
  Source frames = source(each);
  frames.start = ctx_.rig.settle();
  frames.gap = kApart * std::max(wire_time(ctx_.roles().a), wire_time(ctx_.roles().d));
  trial.end = frames.start + frames.count * frames.gap + 2 * ctx_.rig.settle();
  trial.sources.push_back(frames);
  const auto result = ctx_.run_valid(trial);
  if (!result) return std::nullopt;
  return counts_of(*result);
}

std::optional<CodepointTrial::Counts> CodepointTrial::long_queue(std::uint64_t each, std::uint64_t others,
                                                                 MarkedAt at) {
  constexpr int kAttempts = 5;
  auto freeze = FreezeTrial::create(ctx_, ctx_.roles().d, kinds_.front().dscp);
  if (!freeze) return std::nullopt;
  freeze->trial.obedience.assign(ctx_.rig.ports().size(), {.obeys = false});
  freeze->trial.kinds = kinds_;
  const FrameKind filler = kinds_[static_cast<std::size_t>(roce::Ecn::kEct0)];
  if (at == MarkedAt::kEnqueue) freeze->send(ctx_, ctx_.roles().a, filler, others);
  Source frames = source(each);
  frames.start = freeze->time();
  freeze->wait(frames.count * wire_time(ctx_.roles().a) + ctx_.rig.settle());
  freeze->trial.sources.push_back(frames);
  if (at == MarkedAt::kDequeue) freeze->send(ctx_, ctx_.roles().a, filler, others);
  freeze->release(ctx_, (others + frames.count) * (kinds_.back().length + kBeyondFrame));
  for (int i = 0; i < kAttempts; ++i) {
    const auto result = ctx_.run_valid(freeze->trial);
    if (!result) return std::nullopt;
    if (!freeze->lapsed(*result)) return counts_of(*result);
  }
  lapsed_ = true;
  return std::nullopt;
}

}  // namespace softfeb::switchtest
