// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace softfeb::switchtest {

/// Returns the possible error of the length of the longest train that passes, in frames of each sender. A rig
/// in real time delays frames by up to the sum of TrialResult::late_max and TrialResult::time_error, and may
/// send the delayed frames in bursts. The queue may therefore be longer or shorter than with exact times.
/// Returns 0 if the senders together are not faster than the port to which `frame` goes.
std::uint64_t train_error(const Context& ctx, const TrialResult& result, const FrameKind& frame,
                          const std::vector<std::uint16_t>& senders);

/// Sends trains of frames at line rate from one or several ports to port D. All senders start at the same
/// time, send the same number of frames, and ignore pauses.
class TrainTrial {
 public:
  /// Maximum number of frames of a train, summed over all senders.
  static constexpr std::uint64_t kMostFrames = 1U << 20;

  TrainTrial(Context& ctx, std::vector<std::uint16_t> senders, std::uint32_t size)
      : ctx_(ctx), senders_(std::move(senders)), size_(size) {}

  struct Seen {
    std::uint64_t lost = 0;
    /// Number of frames that arrived from a sender before its first loss: the smallest of these numbers over
    /// all senders. Later frames do not affect earlier ones, so trains of this length pass.
    std::uint64_t lossless = 0;
    /// Possible error of `lossless`, in frames of each sender (train_error()).
    std::uint64_t error = 0;
  };
  /// Sends a train of `frames` frames from each sender. Returns std::nullopt if all trials were void.
  std::optional<Seen> send(std::uint64_t frames);

 private:
  Trial script(std::uint64_t frames) const;

  Context& ctx_;
  std::vector<std::uint16_t> senders_;
  std::uint32_t size_;
};

}  // namespace softfeb::switchtest
