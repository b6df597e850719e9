// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dcqcn/edge.hpp"
#include "dcqcn/token_bucket.hpp"

#include <algorithm>
#include <cstdint>

namespace softfeb::dcqcn {

/// Functions for a token bucket whose rate is set by a reaction point. `Reaction` must be copyable and
/// provide advance(Edge), advance_to_rate_change(Edge), now(), rc(), quiet_until() and at_rest() with the
/// semantics of ReactionPoint.

/// Advances the reaction point to edge n and passes each change of Rc to the bucket at the edge where it
/// occurs.
template <typename Reaction>
void walk_together(Reaction& reaction, TokenBucket& bucket, Edge n) {
  while (reaction.now() < n) {
    if (bucket.full() && reaction.now() + bucket.rate_delay() < n) {
      // A full bucket stays full at any rate, so all changes that take effect by edge n can be applied in one
      // step.
      reaction.advance(n - bucket.rate_delay());
      bucket.set_rate(reaction.rc(), reaction.now());
    } else if (reaction.advance_to_rate_change(n)) {
      bucket.set_rate(reaction.rc(), reaction.now());
    }
  }
}

/// Advances the reaction point and the bucket to edge n.
template <typename Reaction>
void advance_together(Reaction& reaction, TokenBucket& bucket, Edge n) {
  if (n <= reaction.quiet_until()) {
    reaction.advance(n);
  } else {
    walk_together(reaction, bucket, n);
  }
  bucket.advance(n);
}

struct ReadyEdge {
  Edge edge;   ///< edge at which the frame is admitted; 0 means now
  bool final;  ///< if false, the search stopped early and must be repeated at `edge`
};

/// Returns the edge at which a frame of `bytes` bytes can be admitted if no CNP arrives. The reaction point
/// and the bucket must have been advanced to the present.
template <typename Reaction>
ReadyEdge ready_edge(const Reaction& present, const TokenBucket& bucket_now, std::uint32_t bytes) {
  // Number of changes of Rc to look ahead. If there are more, the search is repeated later.
  constexpr int kForesight = 32;
  Edge ready = bucket_now.ready(bytes);
  if (ready <= bucket_now.now()) return {0, true};
  // A new rate affects refills only after a delay. The refills that precede edge `ready` therefore depend
  // only on rates set at edge `ready - horizon` or earlier.
  const Edge horizon = bucket_now.rate_delay() + 1;
  if (ready <= present.now() + horizon || ready - horizon <= present.quiet_until()) return {ready, true};
  if (present.at_rest()) return {ready, true};
  Reaction reaction = present;
  TokenBucket bucket = bucket_now;
  for (int i = 0; i < kForesight; ++i) {
    if (!reaction.advance_to_rate_change(std::min(ready, edge_until(kNever)) - horizon)) return {ready, true};
    bucket.set_rate(reaction.rc(), reaction.now());
    ready = bucket.ready(bytes);
  }
  return {std::min(ready, reaction.now() + horizon), false};
}

}  // namespace softfeb::dcqcn
