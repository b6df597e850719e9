// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "fabric/frame_list.hpp"
#include "fabric/pause.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace softfeb::fabric {

/// Frames waiting for a station's transmitter. They leave in the order in which they were queued, except that
/// frames of paused priorities are skipped. Frame::at is the time at which a frame was queued.
class StationQueue {
 public:
  bool empty() const { return bytes_ == 0; }
  std::uint64_t bytes() const { return bytes_; }
  std::size_t size() const { return size_; }

  void push(Frame* frame, std::uint8_t priority) {
    bytes_ += frame->length;
    ++size_;
    of_[priority].push(frame);
  }

  /// Earliest time at which the pauses permit a frame to leave; kNever if the queue is empty.
  Time next(const PauseState& told) const {
    Time first = kNever;
    for (std::size_t p = 0; p < kQueues; ++p)
      if (!of_[p].empty()) first = std::min(first, leaves_at(p, told));
    return first;
  }

  /// Dequeues the oldest frame that may leave at `now`. Requires next() <= now.
  Frame* pop(const PauseState& told, Time now) {
    FrameList* oldest = nullptr;
    for (std::size_t p = 0; p < kQueues; ++p) {
      if (of_[p].empty() || leaves_at(p, told) > now) continue;
      if (oldest == nullptr || of_[p].front()->at < oldest->front()->at) oldest = &of_[p];
    }
    Frame* const frame = oldest->pop();
    bytes_ -= frame->length;
    --size_;
    return frame;
  }

 private:
  Time leaves_at(std::size_t priority, const PauseState& told) const {
    return std::max(of_[priority].front()->at, told.until(priority));
  }

  std::uint64_t bytes_ = 0;
  std::size_t size_ = 0;
  std::array<FrameList, kQueues> of_;
};

}  // namespace softfeb::fabric
