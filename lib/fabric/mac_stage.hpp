// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"
#include "fabric/frame.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace softfeb::fabric {

/// Keeps track of the frames that the MAC of a port has taken from the buffer in advance
/// (MemoryConfig::mac_leak). These are the first frames of each queue in PortQueues. They remain in the
/// queue, so the order of departures does not change.
class MacStage {
 public:
  explicit MacStage(std::uint64_t limit) : limit_(limit) {}

  /// Call after `frame` has been appended to its queue.
  void pushed(Frame* frame) {
    if (first_[frame->queue] == nullptr) first_[frame->queue] = frame;
  }
  /// Returns the next frame that the MAC takes from `queue`; null if there is none. Whenever a frame has been
  /// appended to the queue or removed from it, call this function until it returns null. The first frame of a
  /// queue is then always taken.
  Frame* take(std::size_t queue) {
    Frame* const frame = first_[queue];
    if (frame == nullptr || bytes_[queue] >= limit_) return nullptr;
    first_[queue] = frame->next;
    bytes_[queue] += frame->length;
    total_ += frame->length;
    return frame;
  }
  /// Call after a frame that the MAC had taken has been removed from its queue.
  void popped(const Frame& frame) {
    bytes_[frame.queue] -= frame.length;
    total_ -= frame.length;
  }

  std::uint64_t bytes() const { return total_; }
  std::uint64_t bytes_of(std::size_t queue) const { return bytes_[queue]; }

 private:
  std::uint64_t limit_;
  std::array<Frame*, kQueues> first_{};  ///< first frame of each queue that the MAC has not taken
  std::array<std::uint64_t, kQueues> bytes_{};
  std::uint64_t total_ = 0;
};

}  // namespace softfeb::fabric
