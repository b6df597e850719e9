// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

namespace softfeb::engine {

/// Queue pairs that may send now, first come, first served; each stands in it once at most.
class ReadyQueue {
 public:
  explicit ReadyQueue(std::size_t qps, std::pmr::memory_resource* memory = std::pmr::new_delete_resource())
      : ring_(qps, memory), queued_(qps, 0, memory) {}

  /// Bytes that its places take.
  std::size_t memory() const { return ring_.size() * sizeof ring_[0] + queued_.size(); }
  bool empty() const { return count_ == 0; }
  bool contains(std::uint32_t qp) const { return queued_[qp] != 0; }

  void push(std::uint32_t qp) {
    if (queued_[qp] != 0) return;
    queued_[qp] = 1;
    std::size_t at = first_ + count_;
    if (at >= ring_.size()) at -= ring_.size();
    ring_[at] = qp;
    ++count_;
  }

  static constexpr std::uint32_t kNone = UINT32_MAX;
  /// Who has its turn behind `turns` others; kNone.
  std::uint32_t ahead(std::size_t turns) const {
    if (turns >= count_) return kNone;
    const std::size_t at = first_ + turns;
    return ring_[at < ring_.size() ? at : at - ring_.size()];
  }

  /// Requires !empty().
  std::uint32_t pop() {
    const std::uint32_t qp = ring_[first_];
    if (++first_ == ring_.size()) first_ = 0;
    --count_;
    queued_[qp] = 0;
    return qp;
  }

 private:
  std::pmr::vector<std::uint32_t> ring_;
  std::pmr::vector<std::uint8_t> queued_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

}  // namespace softfeb::engine
