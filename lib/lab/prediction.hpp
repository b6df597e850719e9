// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "base/uint128.hpp"
#include "dcqcn/reaction_point.hpp"
#include "engine/congestion_log.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

/// Predicts a sender's rate by replaying its CNPs and parameter changes in a separate reaction point. Times
/// are those of the sender's clock; firmware clock edges are at multiples of 6.4 ns.
namespace softfeb::lab {

/// Initial state of the firmware's reaction point.
struct RateOrigin {
  dcqcn::FirmwareParameters parameters;
  dcqcn::FirmwareBuild build;
};

struct RateWindow {
  Time from = 0, to = 0;
};

/// Computes Rc from time 0. Calls must be in time order. Clock-exact, like the firmware.
class RateReplay {
 public:
  explicit RateReplay(const RateOrigin& origin) : point_(origin.parameters, origin.build) {}

  /// Ignores parameters of algorithms other than the firmware's.
  void add(const engine::CongestionEvent& event);
  /// Replays everything up to `t`.
  void advance(Time t);

  /// Results up to the time of the last advance(). integral() returns ∫Rc dt since time 0, in bytes per
  /// second times picoseconds; rc() returns the current Rc.
  Uint128 integral() const { return sum_; }
  std::uint64_t rc() const { return point_.rc(); }
  const dcqcn::ReactionPoint& point() const { return point_; }

 private:
  struct Due {
    dcqcn::Edge edge = 0;
    std::optional<dcqcn::FirmwareParameters> parameters;  ///< empty if the event is a CNP
  };

  void integrate(Time t);

  dcqcn::ReactionPoint point_;
  std::deque<Due> due_;  ///< events that have not taken effect yet, each with its clock edge
  Time at_ = 0;
  Uint128 sum_ = 0;
};

/// Returns ∫Rc dt over each window, in whole bytes. Events must be in time order. Windows may be in any
/// order and may overlap.
std::vector<std::uint64_t> integrate_rate(const RateOrigin& origin,
                                          std::span<const engine::CongestionEvent> events,
                                          std::span<const RateWindow> windows);

/// State of a sender at one sample, summed over all queue pairs that share its CongestionControl object.
struct SentSample {
  Time at = 0;
  std::uint64_t counted = 0;  ///< bytes sent, as the token bucket counts them: from BTH to pad
  std::int64_t credit = 0;    ///< bytes in the token bucket
  std::uint64_t spilled = 0;  ///< value of congestion::CongestionState::spilled
  bool sending = false;       ///< the sender's first packet has left
};

/// True if only credit limited the sender between the two samples. This is the case if the sender's first
/// packet had left by `from`, the credit at both samples is less than `packet`, and no credit was spilled
/// between the samples. `packet` is the size of a packet in bytes, as the token bucket counts them.
bool credit_limited(const SentSample& from, const SentSample& to, std::uint32_t packet);

/// Comparison of the bytes sent with ∫Rc.
struct RateTracking {
  std::size_t windows = 0;  ///< number of evaluated windows
  std::size_t skipped = 0;  ///< windows in which something other than credit limited the sender
  /// Largest |sent − ∫Rc| / ∫Rc of the windows in which sent and ∫Rc differ by more than a packet.
  double worst = 0;
  Time worst_at = 0;                     ///< start of the window with `worst`
  std::uint64_t largest_difference = 0;  ///< largest |sent − ∫Rc| of all windows, in bytes
};

/// Evaluates windows of `length`. A window is slightly longer if there is no sample exactly at its end.
RateTracking track_rate(const RateOrigin& origin, std::span<const engine::CongestionEvent> events,
                        std::span<const SentSample> samples, Time length, std::uint32_t packet);

}  // namespace softfeb::lab
