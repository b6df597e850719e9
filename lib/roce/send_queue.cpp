// SPDX-License-Identifier: BSD-3-Clause
#include "roce/send_queue.hpp"

#include <memory>
#include <new>

namespace softfeb::roce {

SendQueue::SendQueue(std::uint32_t depth, bool keeps_requests, void* room)
    : depth_(depth), own_(room == nullptr ? 1 : 0), keeps_(keeps_requests ? 1 : 0) {
  static_assert(alignof(WorkRequest) <= alignof(SendSlot));
  if (room == nullptr) room = ::operator new(bytes(depth, keeps_requests));
  slots_ = static_cast<SendSlot*>(room);
  std::uninitialized_default_construct_n(slots_, depth);
  if (keeps_requests) std::uninitialized_default_construct_n(requests(), depth);
}

SendQueue& SendQueue::operator=(SendQueue&& other) noexcept {
  if (this == &other) return *this;
  std::destroy_at(this);
  return *std::construct_at(this, std::move(other));
}

SendQueue::~SendQueue() {
  if (own_ != 0) ::operator delete(slots_);
}

}  // namespace softfeb::roce
