// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>

namespace softfeb::dataplane {

/// Lock-free FIFO from one producer thread to one consumer thread, for example for commands to a worker, or
/// for packets for another worker's endpoints. Memory is allocated only at construction. T must be trivially
/// copyable.
template <typename T>
class SpscRing {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Room for at least `capacity` values, rounded up to a power of two.
  explicit SpscRing(std::size_t capacity)
      : mask_(std::bit_ceil(std::max<std::size_t>(capacity, 1)) - 1),
        slots_(std::make_unique<T[]>(mask_ + 1)) {}

  std::size_t capacity() const { return mask_ + 1; }

  /// Producer: returns false when full.
  bool push(const T& value) { return push_bulk({&value, 1}) == 1; }
  /// Producer: pushes as many values as fit, starting with the first. Returns the number pushed.
  std::size_t push_bulk(std::span<const T> values) {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - seen_head_ + values.size() > capacity()) seen_head_ = head_.load(std::memory_order_acquire);
    const std::size_t n = std::min(values.size(), capacity() - (tail - seen_head_));
    for (std::size_t i = 0; i < n; ++i) slots_[(tail + i) & mask_] = values[i];
    tail_.store(tail + n, std::memory_order_release);
    return n;
  }

  /// Consumer: returns false when empty.
  bool pop(T& out) { return pop_bulk({&out, 1}) == 1; }
  /// Consumer: pops up to out.size() values. Returns the number popped.
  std::size_t pop_bulk(std::span<T> out) {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    if (seen_tail_ - head < out.size()) seen_tail_ = tail_.load(std::memory_order_acquire);
    const std::size_t n = std::min(out.size(), seen_tail_ - head);
    // Return early, because rings are usually empty, and a store to head_ would take the cache line away from
    // the producer.
    if (n == 0) return 0;
    for (std::size_t i = 0; i < n; ++i) out[i] = slots_[(head + i) & mask_];
    head_.store(head + n, std::memory_order_release);
    return n;
  }
  /// Consumer: returns true when there is nothing to pop.
  bool empty() const {
    return head_.load(std::memory_order_relaxed) == tail_.load(std::memory_order_acquire);
  }

 private:
  static constexpr std::size_t kLine = 64;

  std::size_t mask_;
  std::unique_ptr<T[]> slots_;
  alignas(kLine) std::atomic<std::size_t> tail_{0};
  std::size_t seen_head_ = 0;  ///< producer's cached copy of head_
  alignas(kLine) std::atomic<std::size_t> head_{0};
  std::size_t seen_tail_ = 0;  ///< consumer's cached copy of tail_
};

/// Contains the latest value that one thread has written, such as a worker's counters, for any number of
/// readers. The writer never waits; a reader that overlaps a write retries. A Mailbox is a sequence lock over
/// atomic words, so that no read is a data race.
template <typename T>
class Mailbox {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  void write(const T& value) {
    std::array<std::uint64_t, kWords> words{};
    std::memcpy(words.data(), &value, sizeof value);
    const std::uint64_t next = sequence_.load(std::memory_order_relaxed) + 1;
    sequence_.store(next, std::memory_order_relaxed);  // odd: write in progress
    std::atomic_thread_fence(std::memory_order_release);
    for (std::size_t i = 0; i < kWords; ++i) words_[i].store(words[i], std::memory_order_relaxed);
    sequence_.store(next + 1, std::memory_order_release);
  }

  /// Number of values written so far: a cheap way to check for a new value.
  std::uint64_t written() const { return sequence_.load(std::memory_order_acquire) / 2; }

  /// Copies the latest value to `out`. Returns the number of values written so far. If this is 0, `out` is
  /// unchanged.
  std::uint64_t read(T& out) const {
    for (;;) {
      const std::uint64_t before = sequence_.load(std::memory_order_acquire);
      if (before == 0) return 0;
      if ((before & 1) != 0) continue;
      std::array<std::uint64_t, kWords> words;
      for (std::size_t i = 0; i < kWords; ++i) words[i] = words_[i].load(std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_acquire);
      if (sequence_.load(std::memory_order_relaxed) != before) continue;
      std::memcpy(static_cast<void*>(&out), words.data(), sizeof out);
      return before / 2;
    }
  }

 private:
  static constexpr std::size_t kWords = (sizeof(T) + 7) / 8;
  alignas(64) std::atomic<std::uint64_t> sequence_{0};
  std::array<std::atomic<std::uint64_t>, kWords> words_{};
};

}  // namespace softfeb::dataplane
