// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory_resource>
#include <new>

namespace softfeb {

/// One piece of memory for many objects, taken at once and handed out from its beginning to its end: nothing
/// is lost between them, and they lie together. What is made in it is not destroyed by it.
class Block {
 public:
  static constexpr std::size_t kAlignment = 64;

  /// For so many bytes; `from` outlives it.
  Block(std::size_t bytes, std::pmr::memory_resource* from)
      : from_(from),
        size_(bytes),
        begin_(bytes == 0 ? nullptr : static_cast<std::byte*>(from->allocate(bytes, kAlignment))) {}
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() {
    if (begin_ != nullptr) from_->deallocate(begin_, size_, kAlignment);
  }

  /// The next so many, aligned for anything up to a cache line. Throws std::bad_alloc beyond the end.
  void* take(std::size_t bytes) {
    bytes = rounded(bytes);
    if (bytes > size_ - used_) throw std::bad_alloc();
    void* const at = begin_ + used_;
    used_ += bytes;
    return at;
  }
  /// What take() takes for so many.
  static std::size_t rounded(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }
  std::size_t size() const { return size_; }

 private:
  std::pmr::memory_resource* from_;
  std::size_t size_;
  std::size_t used_ = 0;
  std::byte* begin_;
};

}  // namespace softfeb
