// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/frame.hpp"

#include <cstddef>
#include <cstdint>

namespace softfeb::fabric {

/// Singly linked list through Frame::next. Does not release the frames it contains.
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

  /// Requires a non-empty list.
  Frame* pop() {
    Frame* const frame = head_;
    head_ = frame->next;
    frame->next = nullptr;
    --size_;
    return frame;
  }

  /// Frame::at of the first frame; kNever if the list is empty.
  Time front_time() const { return head_ == nullptr ? kNever : head_->at; }

  /// Inserts `frame` after all frames whose `at` is not later.
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
  Frame* tail_ = nullptr;  ///< valid if head_ is not null
  std::size_t size_ = 0;
};

}  // namespace softfeb::fabric
