// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"
#include "switchtest/marking_train.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::switchtest {

class FreezeTrial;

/// Sends trains of frames of one kind. The frames wait in a queue of port D, because D pauses the switch or,
/// if no pause stops these frames, because senders overload D. If a function fails, it returns std::nullopt;
/// failure() then returns the reason.
class MarkingStimulus {
 public:
  MarkingStimulus(Context& ctx, const FrameKind& frame);

  /// True if port D can pause the switch, so that a train waits in the queue until the whole train has
  /// arrived.
  bool freezes() const { return freezes_; }
  /// True if the frames can be made to wait, by a pause or by an overload.
  bool possible() const;
  const FrameKind& frame() const { return frame_; }
  std::uint32_t length() const { return frame_.length; }
  /// Possible error of depths, in frames: 0 if trains are frozen, otherwise one frame for each sender. The
  /// reason is that a cut-through switch stores only frames that wait, and that only the waiting time of a
  /// frame shows whether the frame was stored.
  std::uint32_t uncertainty() const;

  /// Sends a train of `frames` frames. With an overload, the train is longer, so that the queue reaches a
  /// length of `frames` frames. `idle` is the time before the first frame.
  std::optional<MarkedTrain> train(std::uint64_t frames, Time idle = 0);

  /// If port D can pause the switch, sends `frames` frames, of which the switch may drop some. Then lets the
  /// queue empty until one frame is left, and sends a train of `later` frames. The result contains the frames
  /// of both trains. `idle` is the time before the first frame. If port D cannot pause the switch, overloads
  /// D until the queue would hold `frames` frames. Port A then sends at a slightly lower rate than the rate
  /// of port D, so that the queue empties slowly. In this case, `later` and `idle` are not used.
  std::optional<MarkedTrain> after_full(std::uint64_t frames, std::uint64_t later, Time idle = 0);

  /// A train that waits in one queue while another queue of the port holds frames.
  struct Beside {
    MarkedTrain alone;     ///< depths count only frames in the train's own queue
    MarkedTrain together;  ///< the same frames; depths count the frames in both queues
  };
  /// Sends `others` frames with the DSCP `other`, and then a train of `frames` frames. Port D must be able to
  /// pause the queue of the DSCP `other`.
  std::optional<Beside> beside_full(std::uint8_t other, std::uint64_t others, std::uint64_t frames);

  /// Reason of the latest failure; empty if the rig failed.
  const std::string& failure() const { return failure_; }

 private:
  std::optional<TrialResult> run_frozen(const FreezeTrial& freeze, std::size_t first_kind);
  std::optional<FreezeTrial> frozen();
  std::optional<MarkedTrain> frozen_train_of(std::uint64_t frames, Time idle);
  std::optional<MarkedTrain> frozen_after_full(std::uint64_t frames, std::uint64_t later, Time idle);
  std::optional<MarkedTrain> overload(std::uint64_t frames, bool then_empty);
  Time drain_time(std::uint64_t frames) const;

  Context& ctx_;
  FrameKind frame_;
  bool freezes_ = false;
  std::uint64_t held_ = 0;  ///< number of frames that the queue accepted when `held_of_` were sent
  std::uint64_t held_of_ = 0;
  std::string failure_;
};

}  // namespace softfeb::switchtest
