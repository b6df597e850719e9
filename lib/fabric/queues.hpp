// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"
#include "fabric/frame_list.hpp"

#include <array>
#include <cstdint>

namespace softfeb::fabric {

/// The queues of a switch's port and who is next: strict ones (weight 0) first, the highest number before
/// others; the rest shares bytes in proportion to its weights (deficit round robin, Shreedhar and Varghese
/// 1995).
class PortQueues {
 public:
  explicit PortQueues(const std::array<QueueConfig, kQueues>& config);

  /// Into Frame::queue.
  void push(Frame* frame) {
    const std::uint8_t q = frame->queue;
    queues_[q].push(frame);
    bytes_[q] += frame->length;
    total_ += frame->length;
    waiting_ = static_cast<std::uint8_t>(waiting_ | (1U << q));
  }
  /// The next frame of the queues in `may` (bit by bit); null: none waits there.
  Frame* pop(std::uint8_t may);

  std::uint8_t waiting() const { return waiting_; }  ///< queues with frames, bit by bit
  std::uint64_t bytes() const { return total_; }
  std::uint64_t bytes_of(std::size_t queue) const { return bytes_[queue]; }
  const std::array<std::uint64_t, kQueues>& bytes_by_queue() const { return bytes_; }
  std::size_t size() const;

 private:
  std::uint8_t next_shared(std::uint8_t candidates);
  Frame* take(std::uint8_t queue);

  std::array<FrameList, kQueues> queues_{};
  std::array<std::uint64_t, kQueues> bytes_{};
  std::array<std::uint64_t, kQueues> quantum_{};  ///< bytes of a turn; 0: strict
  std::array<std::uint64_t, kQueues> deficit_{};
  std::uint64_t total_ = 0;
  std::uint8_t waiting_ = 0;
  std::uint8_t strict_ = 0;
  std::uint8_t turn_ = 0;  ///< whose turn it is
};

}  // namespace softfeb::fabric
