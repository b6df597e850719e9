// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/frame.hpp"

#include <cstddef>
#include <cstdint>

namespace softfeb::fabric {

/// Frames in a row, linked through Frame::next. Owns them in so far as nobody else has them; gives none back
/// by itself.
class FrameList {
 public:
  bool empty() const { return head_ == nullptr; }
  std::size_t size() const { return size_; }
  Frame* front() const { return head_; }

  void push(Frame* frame) {
    frame->next = nullptr;
    if (head_ == nullptr) {
      head_ = frame;
    } else {
      tail_->next = frame;
    }
    tail_ = frame;
    ++size_;
  }

  /// Requires a frame.
  Frame* pop() {
    Frame* const frame = head_;
    head_ = frame->next;
    frame->next = nullptr;
    --size_;
    return frame;
  }

  /// Behind all that are due no later.
  void insert_by_time(Frame* frame) {
    if (head_ == nullptr || tail_->at <= frame->at) {
      push(frame);
      return;
    }
    Frame** link = &head_;
    while ((*link)->at <= frame->at) link = &(*link)->next;
    frame->next = *link;
    *link = frame;
    ++size_;
  }

 private:
  Frame* head_ = nullptr;
  Frame* tail_ = nullptr;  ///< valid while there is a head
  std::size_t size_ = 0;
};

}  // namespace softfeb::fabric
