// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "congestion/congestion_control.hpp"
#include "dcqcn/paper_reaction_point.hpp"
#include "dcqcn/token_bucket.hpp"

#include <algorithm>
#include <cstdint>

namespace softfeb::dcqcn {

struct PaperSettings {
  PaperParameters parameters;
  /// NICs pace from the first packet on. Therefore the bucket is small and initially full, and it uses exact
  /// arithmetic.
  BucketConfig bucket = {
      .size = 16'384, .start_full = true, .first_frame_free = false, .arithmetic = BucketArithmetic::kExact};
};

/// DCQCN as published or, with other parameters, as implemented by NICs. A token bucket paces the packets.
/// Ignores NAKs and acknowledgements.
class alignas(64) PaperDcqcn final : public congestion::CongestionControl {
 public:
  explicit PaperDcqcn(const PaperSettings& profile = {});

  std::size_t memory() const override { return sizeof *this; }
  congestion::CongestionState state(Time now) const override;
  void set_parameters(const PaperParameters& parameters, Time now);
  const PaperReactionPoint& reaction_point() const { return reaction_; }

 private:
  Departure find_departure(std::uint32_t bytes, Time now) override;
  void on_start(Time now) override;
  void on_sent(std::uint32_t bytes, Time now) override;
  Departure on_sent_then_departure(std::uint32_t bytes, std::uint32_t next, Time now) override;
  void on_cnp(Time now) override;

  /// Advances the reaction point and the bucket to `now`, and counts a packet that leaves now.
  void walk_and_take(std::uint32_t bytes, Time now);
  /// Counts a packet that leaves before next_event_. Only an active reaction point has a byte counter.
  void count(std::uint32_t bytes, Time now) {
    if (next_event_ != kNever && reaction_.count(bytes)) set_rate(now);
  }
  Departure later_departure(Edge n, Edge ready, std::uint32_t bytes);
  /// Passes the new rate to the bucket after an event has changed it.
  void set_rate(Time now) { bucket_.set_rate(reaction_.rc(), edge_from(now)); }
  /// Updates next_event_. Call after any change to the reaction point.
  void look_ahead() {
    next_event_ = reaction_.active() ? std::min(reaction_.next_event(), kNever - 1) : kNever;
  }

  // Between two events of the reaction point, a packet touches only the first cache line until the first CNP,
  // and only the first two cache lines afterwards. The first line contains the base class, next_event_ and
  // the first half of the bucket. The second line also contains the byte counter.
  /// Before this time, the reaction point only has to count bytes. The value kNever means that the reaction
  /// point is not active, and need not count bytes either.
  Time next_event_ = kNever;
  TokenBucket bucket_;
  PaperReactionPoint reaction_;
};

}  // namespace softfeb::dcqcn
