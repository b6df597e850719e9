// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

namespace softfeb::engine {

/// Queue pairs that may send now, first come, first served; each stands in it once at most.
class ReadyQueue {
 public:
  explicit ReadyQueue(std::size_t qps, std::pmr::memory_resource* memory = std::pmr::new_delete_resource())
      : ring_(std::bit_ceil(std::max<std::size_t>(1, qps)), memory),
        mask_(ring_.size() - 1),
        queued_(qps, 0, memory) {}

  /// Bytes that its places take.
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

  /// Places are numbered without end in the order in which they are taken: of the first, and behind the last.
  std::size_t first_place() const { return first_; }
  std::size_t end_place() const { return first_ + count_; }
  /// Who stands there. Requires a place from the first on, before the end.
  std::uint32_t at_place(std::size_t place) const { return ring_[place & mask_]; }

  /// Whose turn it is. Requires !empty(), as the next two do.
  std::uint32_t front() const { return ring_[first_ & mask_]; }
  void pop() {
    queued_[front()] = 0;
    ++first_;
    --count_;
  }
  /// `qp`, if it was pushed last, is taken from the end to the beginning, as if it had not been popped. False
  /// when it was not.
  bool recall(std::uint32_t qp) {
    if (count_ == 0 || at_place(end_place() - 1) != qp) return false;
    ring_[--first_ & mask_] = qp;
    return true;
  }
  /// pop() and push() in one.
  void rotate() {
    ring_[(first_ + count_) & mask_] = front();
    ++first_;
  }

 private:
  std::pmr::vector<std::uint32_t> ring_;
  std::size_t mask_;
  std::pmr::vector<std::uint8_t> queued_;
  std::size_t first_ = 0;  ///< runs on without wrapping at the ring's size
  std::size_t count_ = 0;
};

}  // namespace softfeb::engine
