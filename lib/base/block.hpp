// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory_resource>
#include <new>

namespace softfeb {

/// A bump allocator: hands out pieces of one preallocated memory block from front to back, so that many
/// objects are contiguous. Does not destroy the objects constructed in it.
class Block {
 public:
  static constexpr std::size_t kAlignment = 64;

  /// Allocates `bytes` bytes from `from`, which must outlive the block.
  Block(std::size_t bytes, std::pmr::memory_resource* from)
      : from_(from),
        size_(bytes),
        begin_(bytes == 0 ? nullptr : static_cast<std::byte*>(from->allocate(bytes, kAlignment))) {}
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() {
    if (begin_ != nullptr) from_->deallocate(begin_, size_, kAlignment);
  }

  /// Returns the next `bytes` bytes, aligned to kAlignment (a cache line). Throws std::bad_alloc when the
  /// block is exhausted.
  void* take(std::size_t bytes) {
    bytes = rounded(bytes);
    if (bytes > size_ - used_) throw std::bad_alloc();
    void* const at = begin_ + used_;
    used_ += bytes;
    return at;
  }
  /// Number of bytes that take(bytes) consumes.
  static std::size_t rounded(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }
  std::size_t size() const { return size_; }

 private:
  std::pmr::memory_resource* from_;
  std::size_t size_;
  std::size_t used_ = 0;
  std::byte* begin_;
};

}  // namespace softfeb
