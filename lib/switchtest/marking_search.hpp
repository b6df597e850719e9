// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/marking_stimulus.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::switchtest {

/// Length that a train needs to show the marking curve.
struct TrainLength {
  static constexpr std::uint64_t kMost = 32'768;

  std::uint64_t frames = 0;  ///< length of a train that reaches 1.5 kmax, or of the longest possible train
  bool full = false;         ///< true if longer trains do not fit in the queue
  MarkingCounts counts;      ///< counts over all trains that were sent

  /// Length of a train that reaches 1.5 kmax, if all frames at depth `certain` or deeper are marked.
  static std::uint64_t beyond(std::uint32_t certain);
};

/// Doubles the length of a train until all of its deepest frames are marked, the queue is full, or the rig
/// cannot send a longer train. Returns std::nullopt if the stimulus failed (MarkingStimulus::failure()), or
/// if all trials with the shortest train were void.
std::optional<TrainLength> find_train_length(MarkingStimulus& stimulus);

}  // namespace softfeb::switchtest
