// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace softfeb::switchtest {

/// By how many frames of each sender the longest train that passes may differ from that with exact times. A
/// rig in real time delays frames by up to `late_max` and `time_error`, and may send them in lumps
/// afterwards. The queue then differs by what the senders send in this time; and of a train, only the part
/// that does not leave in the meantime adds to the queue. 0 if the senders are not faster than the port to
/// which `frame` goes.
std::uint64_t train_error(const Context& ctx, const TrialResult& result, const FrameKind& frame,
                          const std::vector<std::uint16_t>& senders);

/// Trains of frames at line rate from one or several ports to D, which start at the same time. The senders
/// ignore pauses. Each sends the same number of frames.
class TrainTrial {
 public:
  /// Maximum number of frames of a train, over all senders.
  static constexpr std::uint64_t kMostFrames = 1U << 20;

  TrainTrial(Context& ctx, std::vector<std::uint16_t> senders, std::uint32_t size)
      : ctx_(ctx), senders_(std::move(senders)), size_(size) {}

  struct Seen {
    std::uint64_t lost = 0;
    /// Frames of each sender that arrived before its first loss, the smallest of all senders. Later frames do
    /// not change the fate of earlier ones, so trains of this length pass.
    std::uint64_t lossless = 0;
    /// Number of frames of each sender by which it may differ from that with exact times.
    std::uint64_t error = 0;
  };
  /// Sends a train of `frames` frames from each sender. nullopt: all trials were void.
  std::optional<Seen> send(std::uint64_t frames);

 private:
  Trial script(std::uint64_t frames) const;

  Context& ctx_;
  std::vector<std::uint16_t> senders_;
  std::uint32_t size_;
};

}  // namespace softfeb::switchtest
