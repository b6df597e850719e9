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

/// What a sender's rate must have been, from what acted on it: CNPs and new parameters, replayed in a
/// reaction point of its own. Times are those of the sender's clock, firmware edges at multiples of 6.4 ns.
namespace softfeb::lab {

/// What the firmware's reaction point began with.
struct RateOrigin {
  dcqcn::FirmwareParameters parameters;
  dcqcn::FirmwareBuild build;
};

struct RateWindow {
  Time from = 0, to = 0;
};

/// Rc from the beginning of time on. Calls in the order of their times, exact to the clock as the firmware
/// is.
class RateReplay {
 public:
  explicit RateReplay(const RateOrigin& origin) : point_(origin.parameters, origin.build) {}

  /// Parameters of another algorithm than the firmware's are passed over.
  void add(const engine::CongestionEvent& event);
  /// Everything up to `t`.
  void advance(Time t);

  /// As of advance(): ∫Rc dt from time 0, in bytes per second times picoseconds, and Rc.
  Uint128 integral() const { return sum_; }
  std::uint64_t rc() const { return point_.rc(); }
  const dcqcn::ReactionPoint& point() const { return point_; }

 private:
  struct Due {
    dcqcn::Edge edge = 0;
    std::optional<dcqcn::FirmwareParameters> parameters;  ///< none: a CNP
  };

  void integrate(Time t);

  dcqcn::ReactionPoint point_;
  std::deque<Due> due_;  ///< whose edges have not come
  Time at_ = 0;
  Uint128 sum_ = 0;
};

/// ∫Rc dt over each window, in whole bytes. Events in the order of their times; windows may lie anywhere.
std::vector<std::uint64_t> integrate_rate(const RateOrigin& origin,
                                          std::span<const engine::CongestionEvent> events,
                                          std::span<const RateWindow> windows);

/// What a sender was seen to have done, of all queue pairs with the same congestion control together.
struct SentSample {
  Time at = 0;
  std::uint64_t counted = 0;  ///< bytes sent, as the token bucket counts them: BTH to pad
  std::int64_t credit = 0;    ///< bytes, of the token bucket
  std::uint64_t spilled = 0;  ///< dcqcn::CongestionState::spilled
  bool sending = false;       ///< its first packet has left
};

/// From one sample to a later one in which it was credit that held the sender back, and nothing else: no
/// credit for a packet of `packet` counted bytes at either end, and none spilled between.
bool credit_limited(const SentSample& from, const SentSample& to, std::uint32_t packet);

/// What was sent against ∫Rc.
struct RateTracking {
  std::size_t windows = 0;  ///< looked at
  std::size_t skipped = 0;  ///< something else than credit held the sender back
  double worst = 0;  ///< largest |sent − ∫Rc| / ∫Rc of windows in which they differ by more than a packet
  Time worst_at = 0;                     ///< where its window begins
  std::uint64_t largest_difference = 0;  ///< bytes, of all windows
};

/// Over windows of `length` or as little more as the samples allow.
RateTracking track_rate(const RateOrigin& origin, std::span<const engine::CongestionEvent> events,
                        std::span<const SentSample> samples, Time length, std::uint32_t packet);

}  // namespace softfeb::lab
