// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "congestion/congestion_control.hpp"
#include "dcqcn/paper_reaction_point.hpp"
#include "dcqcn/token_bucket.hpp"

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

  /// Passes the new rate to the bucket after an event has changed it.
  void rate_set(Time now) { bucket_.set_rate(reaction_.rc(), edge_from(now)); }

  TokenBucket bucket_;
  PaperReactionPoint reaction_;
};

}  // namespace softfeb::dcqcn
