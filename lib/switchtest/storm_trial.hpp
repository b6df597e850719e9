// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::switchtest {

/// What became of frames that waited in a class that D paused.
struct StormOutcome {
  bool dropped = false;          ///< most of the frames that waited did not arrive
  std::optional<Time> leaving;   ///< when the first of them left in spite of the pause, after it came
  std::optional<Time> restored;  ///< departure of the first later frame that arrived, after the pause
};

/// Trials in which D pauses the class of Settings::dscp while a few short frames of it wait.
class StormTrials {
 public:
  /// Longest pause, and longest time after a pause in which the switch is observed.
  static constexpr Time kLongest = 2 * kSecond;

  explicit StormTrials(Context& ctx) : ctx_(ctx) {}

  /// True if D can pause the class.
  bool can_pause() const;
  /// The switch rests this long after each further trial, so that it ends its action.
  void set_rest(Time rest) { rest_ = rest; }

  /// Pauses the class for `pause`. Then, for `watch`, sends a frame each kWatchGap. nullopt: the rig failed.
  std::optional<StormOutcome> run(Time pause, Time watch);
  static constexpr Time kWatchGap = 100 * kMicrosecond;

  /// Pauses the class for `pause`, and again briefly after the time `gap`. Returns whether a frame left
  /// during the second pause. nullopt: the rig failed.
  std::optional<bool> ignores_next_pause(Time pause, Time gap);
  /// A pause of the class by D.
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
