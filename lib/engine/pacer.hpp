// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "engine/spacing.hpp"

#include <algorithm>
#include <cstdint>

namespace softfeb::engine {

/// Departure times at a constant rate, with a bounded catch-up (doc/pacing.md).
///
/// The schedule is ideal: packet after packet, each `units / rate` after the one before, remainders carried.
/// A worker that comes late sends what is due, but never much closer than the ideal spacing beyond
/// `burst` packets back to back, so that lateness does not turn into a line-rate burst. Lateness beyond
/// kMaxDebt is given up and counted.
class Pacer {
 public:
  /// `rate` in units per second (bytes or packets; 0 = no pacing); `burst` ≥ 1 packets may leave back to
  /// back.
  explicit Pacer(std::uint64_t rate = 0, std::uint32_t burst = 1) : spacing_(rate), burst_(burst) {}

  bool unlimited() const { return rate() == 0; }
  std::uint64_t rate() const { return spacing_.rate(); }

  /// The schedule begins at `now`: nothing is owed.
  void start(Time now) {
    ideal_ = now;
    earliest_ = now;
    spacing_.restart();
  }

  /// When the next packet may leave; a time not after the present means now.
  Time departure() const { return unlimited() ? 0 : std::max(ideal_, earliest_); }

  /// A packet of `units` left at `now`.
  void sent(std::uint64_t units, Time now) {
    if (unlimited()) return;
    const Time spacing = spacing_.next(units);
    if (now > ideal_ + kMaxDebt) {
      given_up_ += now - ideal_ - kMaxDebt;
      ideal_ = now - kMaxDebt;
    }
    const Time late = now > ideal_ ? now - ideal_ : 0;
    ideal_ += spacing;
    const Time most = spacing / kCatchUpFar;
    const Time gain = late > kFarBehind ? most : std::max(spacing / kCatchUp, std::min(most, kTurn));
    const Time fast = spacing - gain;
    const Time tolerance = (burst_ - 1) * fast;
    earliest_ = std::max(earliest_, now > tolerance ? now - tolerance : 0) + fast;
  }

  /// Time on the schedule that was lost because the worker came too late to make it good.
  Time given_up() const { return given_up_; }

 private:
  static constexpr Time kCatchUp = 16;    ///< catching up, gaps are 15/16 of the ideal ones
  static constexpr Time kCatchUpFar = 4;  ///< and 3/4 of them when far behind
  static constexpr Time kFarBehind = 1 * kMillisecond;
  /// About a turn of a worker's loop: a gain of less than that would be lost in it.
  static constexpr Time kTurn = 100 * kNanosecond;
  static constexpr Time kMaxDebt = 100 * kMillisecond;

  Spacing spacing_;
  Time ideal_ = 0;
  Time earliest_ = 0;
  Time given_up_ = 0;
  std::uint32_t burst_;
};

}  // namespace softfeb::engine
