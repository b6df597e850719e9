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

/// Trains of frames of one kind to port D that wait in its queue: while D pauses the switch or, if no pause
/// stops them, while senders overload D. All functions return nullopt if no trial was good: failure() is the
/// reason.
class MarkingStimulus {
 public:
  MarkingStimulus(Context& ctx, const FrameKind& frame);

  /// True if D can pause the switch, so that a train waits until it is complete.
  bool freezes() const { return freezes_; }
  /// True if the frames can be made to wait in one of the two ways.
  bool possible() const;
  const FrameKind& frame() const { return frame_; }
  std::uint32_t length() const { return frame_.length; }
  /// Frames by which depths may be wrong: 0 if trains are frozen. Otherwise one for each sender, because a
  /// switch that cuts through shows the delay of a stored frame only with the time for which it waits.
  std::uint32_t uncertainty() const;

  /// A train of `frames` frames. With an overload, it is as long as the queue needs to reach this length.
  /// `idle`: time before the first frame.
  std::optional<MarkedTrain> train(std::uint64_t frames, Time idle = 0);

  /// A train of `later` frames after the queue has been filled with `frames` frames, whether they fit or not,
  /// and has emptied to a frame. Contains all of these frames. With an overload, A makes the queue empty
  /// slowly instead.
  std::optional<MarkedTrain> after_full(std::uint64_t frames, std::uint64_t later, Time idle = 0);

  /// A train of one queue beside another queue of the port.
  struct Beside {
    MarkedTrain alone;     ///< depths of the train's own queue
    MarkedTrain together;  ///< the same frames with the depths of both queues
  };
  /// A train of `frames` frames after `others` frames with another DSCP, whose queue D must be able to pause.
  std::optional<Beside> beside_full(std::uint8_t other, std::uint64_t others, std::uint64_t frames);

  /// Empty: the rig failed.
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
  std::uint64_t held_ = 0;  ///< frames that the queue takes of held_of_ frames
  std::uint64_t held_of_ = 0;
  std::string failure_;
};

}  // namespace softfeb::switchtest
