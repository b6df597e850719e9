// SPDX-License-Identifier: BSD-3-Clause
#include "dcqcn/paper_dcqcn.hpp"

#include "dcqcn/pacing.hpp"

namespace softfeb::dcqcn {

PaperDcqcn::PaperDcqcn(const PaperSettings& profile)
    : CongestionControl(congestion::kOnCnp),
      bucket_(profile.bucket, profile.parameters.line_rate),
      reaction_(profile.parameters) {
  static_assert(sizeof(PaperDcqcn) <= 320, "memory of a queue pair (doc/engine.md)");
  static_assert(
      sizeof(CongestionControl) + sizeof next_event_ + sizeof bucket_ + 2 * sizeof(std::uint64_t) <= 128,
      "the byte counter is in the second cache line");
}

void PaperDcqcn::on_start(Time now) {
  reaction_.advance_time(now);
  look_ahead();
  bucket_.restart(reaction_.rc(), edge_from(now));
}

PaperDcqcn::Departure PaperDcqcn::find_departure(std::uint32_t bytes, Time now) {
  const Edge n = edge_until(now);
  if (now < next_event_) {
    bucket_.advance(n);
  } else {
    advance_together(reaction_, bucket_, n);
    look_ahead();
  }
  const Edge ready = bucket_.ready(bytes);
  return ready <= bucket_.now() ? Departure{0, true} : later_departure(n, ready, bytes);
}

PaperDcqcn::Departure PaperDcqcn::later_departure(Edge n, Edge ready, std::uint32_t bytes) {
  // The condition below holds if the rate does not change before the last refill that this frame needs. In
  // this case, return `ready` without touching the reaction point.
  const Edge horizon = bucket_.rate_delay() + 1;
  if (ready <= horizon || time_of(ready - horizon) < next_event_) return {time_of(ready), true};
  reaction_.advance(n);
  const ReadyEdge found = ready_edge(reaction_, bucket_, bytes);
  return {time_of(found.edge), found.final};
}

void PaperDcqcn::on_sent(std::uint32_t bytes, Time now) {
  if (now < next_event_) {
    bucket_.take(bytes, edge_until(now));
    count(bytes, now);
  } else {
    walk_and_take(bytes, now);
  }
}

void PaperDcqcn::walk_and_take(std::uint32_t bytes, Time now) {
  const Edge n = edge_until(now);
  advance_together(reaction_, bucket_, n);
  bucket_.take(bytes, n);
  const std::uint64_t rate = reaction_.rc();
  reaction_.sent(bytes, now);
  if (reaction_.rc() != rate) set_rate(now);
  look_ahead();
}

PaperDcqcn::Departure PaperDcqcn::on_sent_then_departure(std::uint32_t bytes, std::uint32_t next, Time now) {
  if (now < next_event_ && bucket_.take_with_room(bytes, next, edge_until(now))) {
    count(bytes, now);
    return {0, true};
  }
  on_sent(bytes, now);
  return find_departure(next, now);
}

void PaperDcqcn::on_cnp(Time now) {
  advance_together(reaction_, bucket_, edge_until(now));
  reaction_.cnp(now);
  look_ahead();
  set_rate(now);
}

void PaperDcqcn::set_parameters(const PaperParameters& parameters, Time now) {
  forget();
  advance_together(reaction_, bucket_, edge_until(now));
  reaction_.set_parameters(parameters, now);
  look_ahead();
  set_rate(now);
}

congestion::CongestionState PaperDcqcn::state(Time now) const {
  PaperReactionPoint reaction = reaction_;
  TokenBucket bucket = bucket_;
  advance_together(reaction, bucket, edge_until(now));
  reaction.advance_time(now);
  return {.rate = reaction.rc(),
          .target_rate = reaction.rt(),
          .alpha = static_cast<std::uint32_t>(reaction.alpha() >> 20),
          .alpha_one = PaperReactionPoint::kAlphaOne >> 20,
          .stage = std::max(reaction.time_stage(), reaction.byte_stage()),
          .cnps = reaction.cnps(),
          .credit = bucket.credit_bytes(),
          .spilled = bucket.spilled_bytes()};
}

}  // namespace softfeb::dcqcn
