// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

/// The stimulus of the tests of memory: frozen queues are filled, one after the other, and release what they
/// held.
namespace softfeb::switchtest {

/// Frames that a port sends into a frozen queue of the port FrameKind::to.
struct Fill {
  std::uint16_t from = 0;
  FrameKind frame;
  std::uint64_t count = 0;
  Time gap = 0;  ///< from start to start; 0: back to back
};

struct FillPlan {
  std::vector<Fill> fills;  ///< in the order in which they are sent
  /// Frames to a port that the switch overloads instead (Overload); the queues are released afterwards.
  std::vector<Source> overload;
  std::vector<FrameKind> overload_kinds;  ///< Source::kinds of `overload` counts from the first of these
  Time wait = 0;                          ///< after the last frame, before the release
  /// How ports react to the pause frames of the switch. Ports without an entry ignore them.
  std::map<std::uint16_t, Obedience> obedience;
};

struct FillResult {
  TrialResult trial;
  std::vector<std::uint64_t> held;   ///< frames that arrived, by fill
  std::vector<std::uint16_t> kinds;  ///< index of the kind, by fill
  std::uint16_t overload_kind = 0;   ///< index of the first of FillPlan::overload_kinds
  Time released = 0;

  std::uint64_t lost(std::size_t fill) const { return trial.kinds[kinds[fill]].missing(); }
  /// First pause frame with a duration that `port` received before the release; nullptr: none.
  const PauseSeen* first_pause(std::uint16_t port) const;
};

/// True if port D can pause the switch so that frames with this DSCP wait.
bool can_freeze(const Context& ctx, std::uint8_t dscp);

/// Freezes the queues of all fills, sends the frames, and counts those that arrive after the release.
/// Requires can_freeze(). nullopt: no trial was valid.
std::optional<FillResult> fill_and_release(Context& ctx, const FillPlan& plan);

/// A number of frames, from several trials.
struct FrameCount {
  std::uint64_t low = UINT64_MAX, high = 0;

  void add(std::uint64_t n) {
    low = std::min(low, n);
    high = std::max(high, n);
  }
  /// Trials that differ by one frame agree, because a frame may be on its way at the moment that counts.
  std::uint64_t value() const { return low + (high - low) / 2; }
};

/// Runs a plan several times, and returns the frames that were held, by fill. nullopt: no trial was valid.
std::optional<std::vector<FrameCount>> count_held(Context& ctx, const FillPlan& plan);

/// How many frames of one kind a frozen queue takes.
struct Capacity {
  FrameCount frames;
  bool full = false;    ///< false: the queue took all frames that were sent; the capacity is greater
  bool paused = false;  ///< the switch sent pause frames to the sender
};

/// Overfills the frozen queue of `frame` from `from`. nullopt: no trial was valid.
std::optional<Capacity> capacity(Context& ctx, std::uint16_t from, const FrameKind& frame);

/// Number of frames with which a queue of this capacity is certainly overfilled.
constexpr std::uint64_t overfilling(std::uint64_t capacity) { return capacity + capacity / 16 + 16; }

}  // namespace softfeb::switchtest
