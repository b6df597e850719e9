// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace softfeb::eventfile {

/// A bounded lock-free queue of variable-size records between two threads. Only the constructor allocates.
/// The constructor also touches all memory, so that no later call enters the kernel.
class RecordQueue {
 public:
  /// `capacity` in bytes is rounded up to a power of two, at least 4 KiB.
  explicit RecordQueue(std::size_t capacity);

  std::size_t capacity() const { return mask_ + 1; }

  /// For the producer: returns space for a record of `size` bytes, aligned to 8 bytes, or null if the record
  /// does not fit. `spare` is the number of bytes that must remain free after the record.
  std::uint8_t* reserve(std::size_t size, std::size_t spare = 0);
  /// Passes the record that reserve() returned last to the consumer.
  void commit();
  /// Largest number of bytes that were in use when a record was reserved.
  std::size_t peak() const { return peak_.load(std::memory_order_relaxed); }

  /// For the consumer: returns the oldest record, or an empty span if there is none.
  std::span<const std::uint8_t> front();
  /// For the consumer: frees the record that front() returned.
  void pop();

 private:
  /// The word before each record: the size of the record, or kWrap if the next record is at the beginning of
  /// the memory.
  using Size = std::uint64_t;
  static constexpr Size kWrap = UINT64_MAX;

  std::size_t mask_;
  std::unique_ptr<std::uint64_t[]> words_;
  std::uint8_t* bytes_;
  alignas(64) std::atomic<std::uint64_t> written_{0};
  std::uint64_t reserved_to_ = 0;
  std::uint64_t seen_read_ = 0;  ///< the value of read_ that the producer read last
  std::atomic<std::size_t> peak_{0};
  alignas(64) std::atomic<std::uint64_t> read_{0};
  std::uint64_t front_end_ = 0;
};

}  // namespace softfeb::eventfile
