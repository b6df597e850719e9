// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/prefetch.hpp"
#include "roce/work.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace softfeb::roce {

/// What a requester keeps of a work request on its way, whoever knows the rest of it. Packets are numbered
/// without wrapping from 0 at the QP's first: packet n has the PSN initial_psn + n modulo 2^24.
struct SendSlot {
  std::uint64_t first : 48 = 0;  ///< number of its first packet, modulo 2^48
  std::uint64_t status : 5 = 0;  ///< WcStatus
  std::uint64_t signaled : 1 = 1;
  std::uint64_t solicited : 1 = 0;
  std::uint64_t last_asks : 1 = 0;  ///< AckReq on its last packet; fixed when that packet leaves first, so
                                    ///< that resends are identical
  std::uint64_t opcode : 8 = 0;     ///< WrOpcode, also what it has no name for
};
static_assert(sizeof(SendSlot) == 8);

/// Ring of work requests, of exactly `depth` places: of each a slot, and, where nobody can make it again, the
/// request itself. Indices run on without wrapping at the ring's size; the owner keeps the ones that say how
/// far sending and completing have come. It may ask for those from `depth` behind the greatest it has
/// reach()ed on.
class SendQueue {
 public:
  static constexpr std::uint32_t kMaxDepth = 1U << 23;  ///< of longer ones 48 bits do not tell packets apart

  /// Bytes that a queue needs, aligned as a SendSlot.
  static std::size_t bytes(std::uint32_t depth, bool keeps_requests) {
    return depth * (sizeof(SendSlot) + (keeps_requests ? sizeof(WorkRequest) : 0));
  }

  /// Lies in `room`, bytes() of it, which outlives it; without, on the heap.
  SendQueue(std::uint32_t depth, bool keeps_requests, void* room = nullptr);
  SendQueue(SendQueue&& other) noexcept
      : slots_(std::exchange(other.slots_, nullptr)),
        base_(other.base_),
        depth_(other.depth_),
        own_(other.own_),
        keeps_(other.keeps_) {}
  SendQueue& operator=(SendQueue&& other) noexcept;
  SendQueue(const SendQueue&) = delete;
  SendQueue& operator=(const SendQueue&) = delete;
  ~SendQueue();

  std::uint32_t depth() const { return depth_; }
  bool keeps_requests() const { return keeps_ != 0; }
  SendSlot& operator[](std::uint32_t index) { return slots_[place(index)]; }
  const SendSlot& operator[](std::uint32_t index) const { return slots_[place(index)]; }
  /// This one and the next are fetched into the cache.
  void prefetch(std::uint32_t index) const {
    softfeb::prefetch(&(*this)[index]);
    softfeb::prefetch(&(*this)[index + 1]);
  }
  /// Requires keeps_requests().
  WorkRequest& request(std::uint32_t index) { return requests()[place(index)]; }
  const WorkRequest& request(std::uint32_t index) const { return requests()[place(index)]; }

  /// Indices have come as far as this one, step by step.
  void reach(std::uint32_t index) {
    if (index - base_ == 2 * depth_) base_ += depth_;
  }
  /// They begin at 0 again.
  void restart() { base_ = 0; }

 private:
  WorkRequest* requests() const { return reinterpret_cast<WorkRequest*>(slots_ + depth_); }
  /// `index` is less than 2 · depth_ ahead of base_, so that one subtraction finds its place.
  std::uint32_t place(std::uint32_t index) const {
    const std::uint32_t ahead = index - base_;
    return ahead < depth_ ? ahead : ahead - depth_;
  }

  SendSlot* slots_;
  std::uint32_t base_ = 0;
  std::uint32_t depth_ : 24;
  std::uint32_t own_ : 1;
  std::uint32_t keeps_ : 1;
};

}  // namespace softfeb::roce
