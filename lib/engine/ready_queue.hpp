// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/rank_heap.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <utility>
#include <vector>

namespace softfeb::engine {

/// Queue of the queue pairs that may send now. Contains each queue pair at most once. Queue pairs without a
/// rank are served in round robin. All queue pairs with a rank share one position in the round robin. When it
/// is the turn of this position, the queue pair with the lowest rank is served.
class ReadyQueue {
 public:
  static constexpr std::uint32_t kNone = RankHeap::kNone;

  /// If `ranked` is false, no queue pair may have a rank.
  explicit ReadyQueue(std::size_t qps, bool ranked = false,
                      std::pmr::memory_resource* memory = std::pmr::new_delete_resource())
      : ring_(std::bit_ceil(std::max<std::size_t>(1, qps + (ranked ? 1 : 0))), memory),
        mask_(ring_.size() - 1),
        queued_(qps, 0, memory),
        ranked_(ranked),
        ranks_(ranked ? qps : 0, memory) {}

  /// Memory in bytes.
  std::size_t memory() const { return ring_.size() * sizeof ring_[0] + queued_.size() + ranks_.memory(); }
  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_ + behind_best(); }
  /// True if queue pairs may have ranks.
  bool ranked() const { return ranked_; }
  bool contains(std::uint32_t qp) const { return queued_[qp] != 0; }

  void push(std::uint32_t qp) {
    if (queued_[qp] != 0) return;
    queued_[qp] = 1;
    append(qp);
  }
  /// Adds a queue pair with this rank, or changes its rank. If ranks are equal, any of the queue pairs may be
  /// served first.
  void push(std::uint32_t qp, std::uint64_t rank) {
    if (qp == served_) {
      served_ = kNone;
    } else {
      settle();
    }
    ranks_.push(qp, rank);
    if (queued_[qp] != 0) return;
    queued_[qp] = 1;
    if (ranks_.size() == 1) append(kBest);
  }

  /// Positions are numbered consecutively without wrapping. The next two functions return the position of the
  /// first entry and the position after the last entry.
  std::size_t first_place() const { return first_; }
  std::size_t end_place() const { return first_ + count_; }
  /// Returns the queue pair at `place`. Requires first_place() <= place < end_place().
  std::uint32_t at_place(std::size_t place) {
    const std::uint32_t qp = ring_[place & mask_];
    return qp == kBest ? best() : qp;
  }

  /// Returns the next queue pair to serve. Requires !empty(), as do pop() and rotate().
  std::uint32_t front() { return at_place(first_); }
  /// Returns the queue pair with the second lowest rank, or kNone.
  std::uint32_t second_best() {
    settle();
    return ranks_.size() < 2 ? kNone : ranks_.second();
  }
  void pop() {
    const std::uint32_t qp = ring_[first_ & mask_];
    if (qp == kBest) return pop_best();
    queued_[qp] = 0;
    ++first_;
    --count_;
  }
  /// Moves `qp` from the back of the queue to the front, which undoes a pop() followed by push(). Returns
  /// false and changes nothing if `qp` is not at the back, or if it has a rank.
  bool recall(std::uint32_t qp) {
    if (count_ == 0 || ring_[(end_place() - 1) & mask_] != qp) return false;
    ring_[--first_ & mask_] = qp;
    return true;
  }
  /// Moves the first entry to the end. For a queue pair without a rank, this is equivalent to pop() followed
  /// by push().
  void rotate() {
    ring_[(first_ + count_) & mask_] = ring_[first_ & mask_];
    ++first_;
  }

 private:
  /// Entry of the ring that stands for all queue pairs with a rank.
  static constexpr std::uint32_t kBest = UINT32_MAX;

  /// Number of queued queue pairs with a rank, excluding the one with the lowest rank, which is already
  /// counted as the entry kBest.
  std::size_t behind_best() const {
    const std::size_t with_rank = ranks_.size() - (served_ != kNone ? 1 : 0);
    return with_rank == 0 ? 0 : with_rank - 1;
  }
  std::uint32_t best() {
    settle();
    return ranks_.top();
  }
  /// Pops the queue pair with the lowest rank. The queue pair remains in the heap until settle(). It is
  /// usually pushed again after it has sent a packet, and push() then only needs to change its rank.
  void pop_best() {
    served_ = best();
    queued_[served_] = 0;
    if (ranks_.size() > 1) return rotate();
    ++first_;
    --count_;
  }
  /// Removes from the heap the queue pair that was popped last, unless it was pushed again.
  void settle() {
    if (served_ != kNone) ranks_.erase(std::exchange(served_, kNone));
  }
  void append(std::uint32_t entry) {
    ring_[(first_ + count_) & mask_] = entry;
    ++count_;
  }

  std::pmr::vector<std::uint32_t> ring_;
  std::size_t mask_;
  std::pmr::vector<std::uint8_t> queued_;
  std::size_t first_ = 0;  ///< position of the first entry, not reduced modulo the size of the ring
  std::size_t count_ = 0;
  bool ranked_;
  RankHeap ranks_;
  std::uint32_t served_ = kNone;  ///< queue pair that was popped but is still in ranks_
};

}  // namespace softfeb::engine
