// SPDX-License-Identifier: BSD-3-Clause
#include "dcqcn/firmware_dcqcn.hpp"

#include <algorithm>

namespace softfeb::dcqcn {

namespace {

/// Changes of Rc that a departure is predicted over; then it is looked at again when the time has come.
constexpr int kForesight = 32;

/// Both to edge n, every change of Rc given to the bucket at its edge.
void advance_both(ReactionPoint& reaction, TokenBucket& bucket, Edge n) {
  // A full bucket stays full whatever the rate is: only the last few rates before n matter, as they are not
  // yet in force when there.
  while (reaction.now() < n) {
    if (bucket.full() && reaction.now() + bucket.rate_delay() < n) {
      reaction.advance(n - bucket.rate_delay());
      bucket.set_rate(reaction.rc(), reaction.now());
    } else if (reaction.advance_to_rate_change(n)) {
      bucket.set_rate(reaction.rc(), reaction.now());
    }
  }
  bucket.advance(n);
}

}  // namespace

FirmwareDcqcn::FirmwareDcqcn(const FirmwareProfile& profile)
    : reaction_(profile.parameters, profile.build),
      bucket_(profile.bucket, profile.build.line_rate),
      bucket_config_(profile.bucket) {}

void FirmwareDcqcn::on_start(Time now) {
  const Edge first = edge_from(now);
  reaction_.advance(first);
  bucket_ = TokenBucket(bucket_config_, reaction_.rc(), first);
}

void FirmwareDcqcn::advance_to(Edge n) { advance_both(reaction_, bucket_, n); }

CongestionControl::Departure FirmwareDcqcn::find_departure(std::uint32_t bytes, Time now) {
  advance_to(edge_until(now));
  Edge ready = bucket_.ready(bytes);
  if (ready <= bucket_.now()) return {0, true};
  // The edge `ready` was found for rates up to now(); the refills before it depend on those up to here:
  const Edge delay = bucket_.rate_delay();
  if (!reaction_.started() || ready <= reaction_.now() + delay + 1) return {time_of(ready), true};
  ReactionPoint reaction = reaction_;
  TokenBucket bucket = bucket_;
  for (int i = 0; i < kForesight; ++i) {
    const Edge limit = std::min(ready, edge_until(kNever)) - delay - 1;
    if (!reaction.advance_to_rate_change(limit)) return {time_of(ready), true};
    bucket.set_rate(reaction.rc(), reaction.now());
    ready = bucket.ready(bytes);
  }
  return {time_of(std::min(ready, reaction.now() + delay + 1)), false};
}

void FirmwareDcqcn::on_sent(std::uint32_t bytes, Time now) {
  const Edge n = edge_until(now);
  advance_to(n);
  bucket_.take(bytes, n);
}

void FirmwareDcqcn::on_cnp(Time now) {
  const Edge n = edge_from(now);
  advance_to(n);
  reaction_.cnp(n);
}

void FirmwareDcqcn::set_parameters(const FirmwareParameters& parameters, Time now) {
  forget();
  advance_to(edge_until(now));
  reaction_.set_parameters(parameters, edge_until(now));
}

void FirmwareDcqcn::set_cnp_counter_reset(bool bit, Time now) {
  advance_to(edge_until(now));
  reaction_.set_cnp_counter_reset(bit, edge_until(now));
}

CongestionState FirmwareDcqcn::state(Time now) const {
  ReactionPoint reaction = reaction_;
  TokenBucket bucket = bucket_;
  advance_both(reaction, bucket, edge_until(now));
  return {.rate = reaction.rc(),
          .target_rate = reaction.rt(),
          .alpha = reaction.alpha(),
          .alpha_one = 1024,
          .stage = reaction.time_stage(),
          .cnps = reaction.cnp_counter(),
          .credit = bucket.credit_bytes()};
}

}  // namespace softfeb::dcqcn
