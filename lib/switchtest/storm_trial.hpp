// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::switchtest {

/// The fate of frames that waited in a class that port D paused.
struct StormOutcome {
  bool dropped = false;         ///< most of the waiting frames did not arrive
  std::optional<Time> leaving;  ///< waiting time of the first frame that left in spite of the pause
  /// Time from the end of the pause until port A sent the first frame that the switch forwarded again.
  std::optional<Time> restored;
};

/// Runs trials in which port D pauses the class of Settings::dscp while a few short frames of this class
/// wait.
class StormTrials {
 public:
  /// Longest pause, and longest time for which the switch is observed after a pause.
  static constexpr Time kLongest = 2 * kSecond;

  explicit StormTrials(Context& ctx) : ctx_(ctx) {}

  /// True if port D can pause the class.
  bool can_pause() const;
  /// Sets the time for which the switch rests after each further trial, so that the reaction of the switch to
  /// the pause ends before the next trial.
  void set_rest(Time rest) { rest_ = rest; }

  /// Pauses the class for `pause`. Then sends a frame every kWatchGap for `watch`. Returns std::nullopt if
  /// the rig failed.
  std::optional<StormOutcome> run(Time pause, Time watch);
  static constexpr Time kWatchGap = 100 * kMicrosecond;

  /// Pauses the class for `pause`, waits for `gap`, and pauses the class again briefly. Returns true if a
  /// frame left during the second pause. Returns std::nullopt if the rig failed.
  std::optional<bool> ignores_next_pause(Time pause, Time gap);
  /// Returns a pause of the class by port D, from `from` to `until`.
  Freeze freeze(Time from, Time until) const;
  /// Duration of the second pause.
  Time second_pause() const { return 4 * ctx_.rig.settle(); }

 private:
  Trial script(Time pause) const;
  FrameKind frame() const;

  Context& ctx_;
  Time rest_ = 0;
};

}  // namespace softfeb::switchtest
