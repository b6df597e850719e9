// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"
#include "fabric/frame_list.hpp"

#include <array>
#include <cstdint>

namespace softfeb::fabric {

/// The egress queues of a switch port and their scheduler. Strict-priority queues (weight 0) are served
/// first, in descending order of their number. The other queues share bytes in proportion to their weights by
/// deficit round robin (Shreedhar and Varghese 1995), or packets by weighted round robin.
class PortQueues {
 public:
  explicit PortQueues(const std::array<QueueConfig, kQueues>& config, const SchedulerConfig& scheduler = {});

  /// Appends a frame to the queue with number Frame::queue.
  void push(Frame* frame) {
    const std::uint8_t q = frame->queue;
    queues_[q].push(frame);
    bytes_[q] += frame->length;
    total_ += frame->length;
    waiting_ = static_cast<std::uint8_t>(waiting_ | (1U << q));
  }
  /// Dequeues the next frame from the queues in the bit mask `may`; null if these queues are empty.
  Frame* pop(std::uint8_t may);

  std::uint8_t waiting() const { return waiting_; }  ///< bit mask of non-empty queues
  std::uint64_t bytes() const { return total_; }
  std::uint64_t bytes_of(std::size_t queue) const { return bytes_[queue]; }
  std::size_t size() const;

 private:
  std::uint64_t cost_of_next(std::size_t queue) const;
  std::uint8_t next_shared(std::uint8_t candidates);
  Frame* take(std::uint8_t queue);

  std::array<FrameList, kQueues> queues_{};
  std::array<std::uint64_t, kQueues> bytes_{};
  /// Bytes per round or, in weighted round robin, packets per round; 0 means strict priority.
  std::array<std::uint64_t, kQueues> quantum_{};
  std::array<std::uint64_t, kQueues> deficit_{};
  std::uint32_t overhead_;
  bool by_packets_;
  std::uint64_t total_ = 0;
  std::uint8_t waiting_ = 0;
  std::uint8_t strict_ = 0;
  std::uint8_t turn_ = 0;  ///< queue whose turn it is in round robin
};

}  // namespace softfeb::fabric
