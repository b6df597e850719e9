// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/marking_fit.hpp"
#include "switchtest/trial.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Determines how long the queue was for each frame of a train, and whether the frame was marked. All
/// functions are pure.
namespace softfeb::switchtest {

enum class MarkedAt : std::uint8_t { kEnqueue, kDequeue };

struct QueuedFrame {
  std::uint32_t ahead = 0;   ///< frames that were waiting when this frame was enqueued
  std::uint32_t behind = 0;  ///< frames that were waiting when this frame left
  bool marked = false;

  std::uint32_t depth(MarkedAt at) const { return at == MarkedAt::kEnqueue ? ahead : behind; }
};

/// Frames of one queue, in the order in which they were enqueued.
struct MarkedTrain {
  std::vector<QueuedFrame> frames;
  std::size_t filled = 0;  ///< number of frames enqueued before the queue began to empty
  /// Number of frames that the switch dropped after the first `filled` frames, because the queue was full.
  std::uint64_t dropped = 0;
  /// For a queue that was frozen twice: number of frames that had left before the second freeze.
  std::size_t left = 0;
};

/// Returns the frames of a queue that stayed frozen until all of them had been enqueued. `arrivals` are the
/// arrivals of this queue, in order.
std::vector<QueuedFrame> frozen_train(std::span<const Arrival> arrivals);

/// Returns the frames of a queue that was frozen twice. The queue was frozen while the switch received the
/// frames in `first` and `dropped` further frames. It was then released until some frames had left, and was
/// frozen again while the switch received the frames in `second`. Frames of `first` that were then still in
/// the queue arrived at the time `released` or later.
MarkedTrain refilled_train(std::span<const Arrival> first, std::uint64_t dropped,
                           std::span<const Arrival> second, Time released);

/// Returns the frames of a queue that senders overloaded. `unloaded` is, for each kind, the delay of a frame
/// that does not wait.
std::vector<QueuedFrame> overload_train(std::span<const Arrival> arrivals, std::span<const Time> unloaded);

/// True if all frames in the upper third of a train's depths were marked. It is sufficient if this holds
/// either for depths at enqueue or for depths at dequeue.
bool saturated(const MarkedTrain& train);

/// Counts marks by the instantaneous length of the queue.
class MarkingCounts {
 public:
  void add(const MarkedTrain& train);
  bool any_marked() const { return marked_ != 0; }
  std::uint64_t frames() const { return frames_; }
  std::uint32_t deepest() const;
  /// Returns the depth, in frames, from which on all frames were marked. It is one more than the greatest
  /// depth at which a frame was not marked.
  std::uint32_t certain_from(MarkedAt at) const;
  /// Returns the share of marked frames by depth. `length` is the number of bytes of a frame.
  std::vector<DepthShare> shares(MarkedAt at, std::uint32_t length) const;

 private:
  struct Count {
    std::uint64_t frames = 0, marked = 0;
  };
  const std::vector<Count>& counts(MarkedAt at) const { return counts_[static_cast<std::size_t>(at)]; }

  std::array<std::vector<Count>, 2> counts_;  ///< indexed by MarkedAt, and by depth in frames
  std::uint64_t frames_ = 0, marked_ = 0;
};

/// Counts marks of frozen trains by the average length of the queue. The average begins at 0. Each frame,
/// dropped or not, moves the average by 1/2^`weight` of the difference between the instantaneous length and
/// the average. The average does not change while the queue empties, so for kDequeue, all frames that leave
/// the queue meet the average after the last enqueued frame.
std::vector<DepthShare> shares_by_average(std::span<const MarkedTrain> trains, MarkedAt at, unsigned weight,
                                          std::uint32_t length);

}  // namespace softfeb::switchtest
