// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory_resource>
#include <vector>

namespace softfeb::detector {

/// A FIFO of fixed capacity. Only the constructor allocates.
template <typename T>
class Ring {
 public:
  Ring(std::size_t capacity, std::pmr::memory_resource* memory) : items_(capacity, memory) {}

  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == items_.size(); }
  std::size_t size() const { return size_; }
  /// Requires !empty().
  const T& front() const { return items_[first_]; }
  /// Requires !empty().
  void pop() {
    first_ = first_ + 1 == items_.size() ? 0 : first_ + 1;
    --size_;
  }
  /// Requires !full().
  void push(const T& item) {
    const std::size_t at = first_ + size_;
    items_[at < items_.size() ? at : at - items_.size()] = item;
    ++size_;
  }

 private:
  std::pmr::vector<T> items_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace softfeb::detector
