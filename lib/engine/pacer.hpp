// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "engine/spacing.hpp"

#include <algorithm>
#include <cstdint>

namespace softfeb::engine {

/// Departure times at a constant rate, with bounded catch-up (doc/pacing.md).
///
/// The schedule is ideal: each packet is due `units / rate` after the previous one, and remainders are
/// carried over. If the worker is late, it may send up to `burst` overdue packets back to back. The following
/// packets are spaced slightly closer than the ideal gap, so that lateness does not cause a line-rate burst.
/// The pacer does not catch up on lateness beyond kMaxDebt, but counts it. The schedule of a pacer with a
/// period, in contrast, never moves, because the number of a packet determines the time at which the packet
/// is due.
class Pacer {
 public:
  /// `rate` is in units per second (bytes or packets; 0 = no pacing). Up to `burst` ≥ 1 packets may leave
  /// back to back.
  explicit Pacer(std::uint64_t rate = 0, std::uint32_t burst = 1) : spacing_(rate), burst_(burst) {}

  /// Returns a pacer for one packet (or message) per `period`, which must not be 0. Packet n is due n·period
  /// after start().
  static Pacer every(Time period) {
    Pacer pacer;
    pacer.spacing_ = Spacing(1, period);
    pacer.fixed_ = true;
    return pacer;
  }

  bool unlimited() const { return rate() == 0; }
  std::uint64_t rate() const { return spacing_.rate(); }

  /// Starts the schedule at `now`, with no packets overdue.
  void start(Time now) {
    ideal_ = now;
    earliest_ = now;
    spacing_.restart();
  }

  /// Time at which the next packet may leave. A time in the past means now.
  Time departure() const { return unlimited() ? 0 : std::max(ideal_, earliest_); }

  /// Accounts for a packet of `units` that left at `now`.
  void sent(std::uint64_t units, Time now) {
    if (unlimited()) return;
    const Time spacing = spacing_.next(units);
    if (now > ideal_ + kMaxDebt && !fixed_) {
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

  /// Lateness in excess of kMaxDebt; the pacer does not catch up on this part.
  Time given_up() const { return given_up_; }

 private:
  /// During catch-up, a gap is shortened by 1/kCatchUp of the ideal gap or, if the pacer is more than
  /// kFarBehind late, by 1/kCatchUpFar.
  static constexpr Time kCatchUp = 16;
  static constexpr Time kCatchUpFar = 4;
  static constexpr Time kFarBehind = 1 * kMillisecond;
  /// During catch-up, a gap is shortened by at least this time, but by no more than 1/kCatchUpFar of the
  /// ideal gap. kTurn is about the duration of one iteration of the worker's loop; a smaller reduction would
  /// have no effect.
  static constexpr Time kTurn = 100 * kNanosecond;
  static constexpr Time kMaxDebt = 100 * kMillisecond;

  Spacing spacing_;
  Time ideal_ = 0;
  Time earliest_ = 0;
  Time given_up_ = 0;
  std::uint32_t burst_;
  bool fixed_ = false;  ///< the schedule does not move, however late the packets are
};

}  // namespace softfeb::engine
