// SPDX-License-Identifier: BSD-3-Clause
#include "dcqcn/firmware_dcqcn.hpp"

#include "dcqcn/pacing.hpp"

namespace softfeb::dcqcn {

FirmwareDcqcn::FirmwareDcqcn(const FirmwareSettings& profile)
    : CongestionControl(congestion::kOnCnp),
      bucket_(profile.bucket, profile.build.line_rate),
      reaction_(profile.parameters, profile.build) {
  static_assert(sizeof(FirmwareDcqcn) <= 320, "memory of a queue pair (doc/engine.md)");
  look_ahead();
}

void FirmwareDcqcn::on_start(Time now) {
  const Edge first = edge_from(now);
  reaction_.advance(first);
  look_ahead();
  bucket_.restart(reaction_.rc(), first);
}

void FirmwareDcqcn::advance_to(Edge n) {
  advance_together(reaction_, bucket_, n);
  look_ahead();
}

FirmwareDcqcn::Departure FirmwareDcqcn::later_departure(Edge n, Edge ready, std::uint32_t bytes) {
  // The condition below holds if the rate does not change before the last refill that this frame needs. In
  // this case, return `ready` without copying the reaction point.
  const Edge horizon = bucket_.rate_delay() + 1;
  if (ready <= horizon || ready - horizon <= quiet_until_) return {time_of(ready), true};
  reaction_.advance(n);
  const ReadyEdge found = ready_edge(reaction_, bucket_, bytes);
  return {time_of(found.edge), found.final};
}

FirmwareDcqcn::Departure FirmwareDcqcn::find_departure(std::uint32_t bytes, Time now) {
  const Edge n = edge_until(now);
  if (n > quiet_until_) {
    advance_to(n);
  } else {
    bucket_.advance(n);
  }
  return departure_from(n, bytes);
}

void FirmwareDcqcn::on_sent(std::uint32_t bytes, Time now) {
  const Edge n = edge_until(now);
  if (n > quiet_until_) advance_to(n);
  bucket_.take(bytes, n);
}

FirmwareDcqcn::Departure FirmwareDcqcn::on_sent_then_departure(std::uint32_t bytes, std::uint32_t next,
                                                               Time now) {
  const Edge n = edge_until(now);
  if (n <= quiet_until_ && bucket_.take_with_room(bytes, next, n)) return {0, true};
  return take_then_departure(bytes, next, n);
}

FirmwareDcqcn::Departure FirmwareDcqcn::take_then_departure(std::uint32_t bytes, std::uint32_t next, Edge n) {
  if (n > quiet_until_) advance_to(n);
  bucket_.take(bytes, n);
  return departure_from(n, next);
}

void FirmwareDcqcn::on_cnp(Time now) {
  const Edge n = edge_from(now);
  advance_to(n);
  reaction_.cnp(n);
  look_ahead();
}

void FirmwareDcqcn::set_parameters(const FirmwareParameters& parameters, Time now) {
  forget();
  advance_to(edge_until(now));
  reaction_.set_parameters(parameters, edge_until(now));
  look_ahead();
}

void FirmwareDcqcn::set_cnp_counter_reset(bool bit, Time now) {
  advance_to(edge_until(now));
  reaction_.set_cnp_counter_reset(bit, edge_until(now));
  look_ahead();
}

congestion::CongestionState FirmwareDcqcn::state(Time now) const {
  ReactionPoint reaction = reaction_;
  TokenBucket bucket = bucket_;
  advance_together(reaction, bucket, edge_until(now));
  return {.rate = reaction.rc(),
          .target_rate = reaction.rt(),
          .alpha = reaction.alpha(),
          .alpha_one = 1024,
          .stage = reaction.time_stage(),
          .cnps = reaction.cnp_counter(),
          .credit = bucket.credit_bytes(),
          .spilled = bucket.spilled_bytes()};
}

}  // namespace softfeb::dcqcn
