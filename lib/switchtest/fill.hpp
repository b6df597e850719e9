// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

/// The stimulus of the memory tests: ports fill frozen queues one after the other, and then the queues are
/// released.
namespace softfeb::switchtest {

/// Frames that a port sends into a frozen queue of the port FrameKind::to.
struct Fill {
  std::uint16_t from = 0;
  FrameKind frame;
  std::uint64_t count = 0;
  Time gap = 0;  ///< time from the start of a frame to the start of the next; 0 means back to back
};

struct FillPlan {
  std::vector<Fill> fills;  ///< in the order in which they are sent
  /// Sources that overload a port which cannot be frozen (Overload). The frozen queues are released after the
  /// frames of these sources.
  std::vector<Source> overload;
  std::vector<FrameKind> overload_kinds;  ///< indices in Source::kinds of `overload` refer to this vector
  Time wait = 0;                          ///< time between the last frame and the release
  /// How ports react to pause frames of the switch. Ports without an entry ignore pause frames.
  std::map<std::uint16_t, Obedience> obedience;
};

struct FillResult {
  TrialResult trial;
  std::vector<std::uint64_t> held;   ///< for each fill, the number of frames that arrived
  std::vector<std::uint16_t> kinds;  ///< for each fill, the index of its kind in Trial::kinds
  std::uint16_t overload_kind = 0;   ///< index in Trial::kinds of the first of FillPlan::overload_kinds
  Time released = 0;

  std::uint64_t lost(std::size_t fill) const { return trial.kinds[kinds[fill]].missing(); }
  /// First pause frame before the release that asked `port` to stop; nullptr if there was none.
  const PauseSeen* first_pause(std::uint16_t port) const;
};

/// True if port D can pause the switch so that frames with this DSCP are held.
bool can_freeze(const Context& ctx, std::uint8_t dscp);

/// Freezes the queues of all fills, sends the frames, and counts those that arrive after the release.
/// Requires can_freeze(). Returns std::nullopt if no trial was valid.
std::optional<FillResult> fill_and_release(Context& ctx, const FillPlan& plan);

/// A number of frames, measured in several trials.
struct FrameCount {
  std::uint64_t low = UINT64_MAX, high = 0;

  void add(std::uint64_t n) {
    low = std::min(low, n);
    high = std::max(high, n);
  }
  /// Returns the middle of the range. (The counts of trials may differ by one frame, because a frame may be
  /// in transit when a pause begins or ends.)
  std::uint64_t value() const { return low + (high - low) / 2; }
};

/// Runs a plan several times, and returns the number of frames held by each fill. Returns std::nullopt if no
/// trial was valid.
std::optional<std::vector<FrameCount>> count_held(Context& ctx, const FillPlan& plan);

/// How many frames of one kind a frozen queue holds.
struct Capacity {
  FrameCount frames;
  /// If this is false, the queue accepted all frames that were sent, so its capacity may be greater.
  bool full = false;
  bool paused = false;  ///< the switch sent pause frames to the sender
};

/// Overfills the frozen queue of `frame` with frames from port `from`. Returns std::nullopt if no trial was
/// valid.
std::optional<Capacity> capacity(Context& ctx, std::uint16_t from, const FrameKind& frame);

/// Number of frames that certainly overfills a queue of this capacity.
constexpr std::uint64_t overfilling(std::uint64_t capacity) { return capacity + capacity / 16 + 16; }

}  // namespace softfeb::switchtest
