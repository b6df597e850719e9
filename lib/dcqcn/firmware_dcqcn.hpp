// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "congestion/congestion_control.hpp"
#include "dcqcn/reaction_point.hpp"
#include "dcqcn/token_bucket.hpp"

#include <cstdint>

/// lib/dcqcn contains two implementations of DCQCN with the interface of lib/congestion. FirmwareDcqcn in
/// this header behaves like the firmware; it combines reaction_point.hpp and token_bucket.hpp. PaperDcqcn
/// (paper_dcqcn.hpp) behaves as described in the DCQCN paper, or like NICs. fields.hpp describes the
/// parameters of both, for all code that reads, writes or displays parameters. The library is sans-I/O. After
/// this header, read doc/dcqcn.md and firmware_dcqcn.cpp.
namespace softfeb::dcqcn {

struct FirmwareSettings {
  FirmwareParameters parameters;
  FirmwareBuild build;
  BucketConfig bucket;
};

/// The firmware's congestion control: its reaction point and its token bucket, both clock-exact. Ignores NAKs
/// and acknowledgements.
class alignas(64) FirmwareDcqcn final : public congestion::CongestionControl {
 public:
  explicit FirmwareDcqcn(const FirmwareSettings& profile = {});

  std::size_t memory() const override { return sizeof *this; }
  congestion::CongestionState state(Time now) const override;

  /// Writes the parameters to the registers at `now`. They are visible after the last clock edge at or
  /// before `now`, and take effect at the next edge.
  void set_parameters(const FirmwareParameters& parameters, Time now);
  void set_cnp_counter_reset(bool bit, Time now);

  /// Advances to `now`. Callers need this only before they read registers.
  void advance(Time now) { advance_to(edge_until(now)); }
  const ReactionPoint& reaction_point() const { return reaction_; }
  const TokenBucket& bucket() const { return bucket_; }

 private:
  Departure find_departure(std::uint32_t bytes, Time now) override;
  void on_start(Time now) override;
  void on_sent(std::uint32_t bytes, Time now) override;
  Departure on_sent_then_departure(std::uint32_t bytes, std::uint32_t next, Time now) override;
  void on_cnp(Time now) override;

  void advance_to(Edge n);
  Departure take_then_departure(std::uint32_t bytes, std::uint32_t next, Edge n);
  /// Computes the departure of a frame. The bucket must be at edge n. The reaction point must be at edge n
  /// too, or at an earlier edge after which it does not change until edge n.
  Departure departure_from(Edge n, std::uint32_t bytes) {
    const Edge ready = bucket_.ready(bytes);
    return ready <= bucket_.now() ? Departure{0, true} : later_departure(n, ready, bytes);
  }
  Departure later_departure(Edge n, Edge ready, std::uint32_t bytes);
  /// Updates quiet_until_. Call after any change to the reaction point.
  void look_ahead() { quiet_until_ = reaction_.quiet_until(); }

  // Between two changes of Rc, a packet touches a single cache line. This line contains the base class,
  // quiet_until_ and the first half of the bucket, but not the reaction point.
  Edge quiet_until_ = 0;  ///< copy of reaction_.quiet_until()
  TokenBucket bucket_;
  ReactionPoint reaction_;
};

}  // namespace softfeb::dcqcn
