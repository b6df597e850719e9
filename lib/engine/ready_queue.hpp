// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

namespace softfeb::engine {

/// FIFO queue of the queue pairs that may send now. Contains each queue pair at most once.
class ReadyQueue {
 public:
  explicit ReadyQueue(std::size_t qps, std::pmr::memory_resource* memory = std::pmr::new_delete_resource())
      : ring_(std::bit_ceil(std::max<std::size_t>(1, qps)), memory),
        mask_(ring_.size() - 1),
        queued_(qps, 0, memory) {}

  /// Memory in bytes.
  std::size_t memory() const { return ring_.size() * sizeof ring_[0] + queued_.size(); }
  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  bool contains(std::uint32_t qp) const { return queued_[qp] != 0; }

  void push(std::uint32_t qp) {
    if (queued_[qp] != 0) return;
    queued_[qp] = 1;
    ring_[(first_ + count_) & mask_] = qp;
    ++count_;
  }

  /// Positions are numbered consecutively without wrapping. These return the position of the first entry, and
  /// the one after the last entry.
  std::size_t first_place() const { return first_; }
  std::size_t end_place() const { return first_ + count_; }
  /// Returns the queue pair at `place`. Requires first_place() <= place < end_place().
  std::uint32_t at_place(std::size_t place) const { return ring_[place & mask_]; }

  /// Returns the next queue pair to serve. Requires !empty(), as do pop() and rotate().
  std::uint32_t front() const { return ring_[first_ & mask_]; }
  void pop() {
    queued_[front()] = 0;
    ++first_;
    --count_;
  }
  /// Moves `qp` from the back to the front if it was pushed last, as if it had never been popped. Returns
  /// false otherwise.
  bool recall(std::uint32_t qp) {
    if (count_ == 0 || at_place(end_place() - 1) != qp) return false;
    ring_[--first_ & mask_] = qp;
    return true;
  }
  /// Equivalent to pop() followed by push() of the same queue pair.
  void rotate() {
    ring_[(first_ + count_) & mask_] = front();
    ++first_;
  }

 private:
  std::pmr::vector<std::uint32_t> ring_;
  std::size_t mask_;
  std::pmr::vector<std::uint8_t> queued_;
  std::size_t first_ = 0;  ///< not reduced modulo the size of the ring
  std::size_t count_ = 0;
};

}  // namespace softfeb::engine
