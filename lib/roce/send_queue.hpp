// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/prefetch.hpp"
#include "roce/work.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace softfeb::roce {

/// State of a posted work request. Packets are numbered from 0 for the first packet of the QP, without
/// wrapping: packet n has PSN initial_psn + n modulo 2^24.
struct SendSlot {
  std::uint64_t first : 48 = 0;  ///< number of the request's first packet, modulo 2^48
  std::uint64_t status : 5 = 0;  ///< WcStatus
  std::uint64_t signaled : 1 = 1;
  std::uint64_t solicited : 1 = 0;
  /// AckReq is set on the last packet. This is decided when that packet is first sent, so that
  /// retransmissions are identical.
  std::uint64_t last_asks : 1 = 0;
  std::uint64_t opcode : 8 = 0;  ///< WrOpcode, or an unsupported value that was posted
};
static_assert(sizeof(SendSlot) == 8);

/// Ring of work requests with exactly `depth` entries. Each entry has a slot and, if requests cannot be
/// recreated (RequesterSettings::again), the request itself.
///
/// Indices do not wrap at the ring's size. The owner records which requests have been sent and completed. The
/// lowest valid index is the highest index passed to reach() minus `depth`.
class SendQueue {
 public:
  /// Maximum depth at which 48-bit numbers still distinguish all packets of a queue.
  static constexpr std::uint32_t kMaxDepth = 1U << 23;

  /// Size in bytes of the memory for a queue with `depth` entries. `keeps_requests` tells whether the queue
  /// stores the requests. The memory must be aligned like a SendSlot.
  static std::size_t bytes(std::uint32_t depth, bool keeps_requests) {
    return depth * (sizeof(SendSlot) + (keeps_requests ? sizeof(WorkRequest) : 0));
  }

  /// Uses the memory at `room`, which must contain bytes() bytes and outlive the queue. If `room` is null,
  /// the queue allocates and owns its memory.
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
  /// Loads slot `index` and the slot after it, which is usually needed next, into the cache.
  void prefetch(std::uint32_t index) const {
    softfeb::prefetch(&(*this)[index]);
    softfeb::prefetch(&(*this)[index + 1]);
  }
  /// Returns the request of an entry. Call it only if keeps_requests() is true.
  WorkRequest& request(std::uint32_t index) { return requests()[place(index)]; }
  const WorkRequest& request(std::uint32_t index) const { return requests()[place(index)]; }

  /// Moves the range of valid indices forward: it then ends before `index`. Must be called for every index,
  /// in order.
  void reach(std::uint32_t index) {
    if (index - base_ == 2 * depth_) base_ += depth_;
  }
  /// Restarts indices at 0.
  void restart() { base_ = 0; }

 private:
  WorkRequest* requests() const { return reinterpret_cast<WorkRequest*>(slots_ + depth_); }
  /// Position of `index` in the ring. `index` exceeds base_ by less than 2 · depth_, so one subtraction is
  /// sufficient.
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
