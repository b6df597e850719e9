// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace softfeb {

/// A sequence of up to `kMax` byte ranges, for example a received frame whose payload is in several buffers.
/// Does not own the bytes. All offsets count from the beginning of the sequence and are clipped to its end.
class Segments {
 public:
  static constexpr std::size_t kMax = 8;

  /// Leaves `parts_` uninitialized to save time, because every packet constructs and copies objects of this
  /// class.
  Segments() {}  // NOLINT(modernize-use-equals-default): `parts_` stays uninitialized
  Segments(const Segments& o) { *this = o; }
  Segments& operator=(const Segments& o) {
    for (std::size_t i = 0; i < o.count_; ++i) {
      // Copy the pointer and the size separately, because they were stored separately. Otherwise compilers
      // merge the two loads into one wide load or a memcpy() call, which must wait until both stores have
      // reached the cache.
      Part part = o.parts_[i];
      __asm__("" : "+r"(part.data), "+r"(part.size));
      parts_[i] = part;
    }
    count_ = o.count_;
    size_ = o.size_;
    return *this;
  }
  Segments(ByteSpan one) { push(one); }  // NOLINT(google-explicit-constructor): a span is one range

  /// Appends a range. Returns false if the sequence is full. Ignores an empty range.
  bool push(ByteSpan part) {
    if (part.empty()) return true;
    if (count_ == kMax) return false;
    parts_[count_++] = {part.data(), part.size()};
    size_ += part.size();
    return true;
  }

  /// Sets this to `whole` without its first `n` bytes; `n` must be less than the size of the first range.
  /// Equivalent to sub(), but faster.
  void assign_behind(const Segments& whole, std::size_t n) {
    *this = whole;
    parts_[0].data += n;
    parts_[0].size -= n;
    size_ -= n;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t count() const { return count_; }
  ByteSpan part(std::size_t i) const { return {parts_[i].data, parts_[i].size}; }

  /// The bytes [offset, offset + length).
  Segments sub(std::size_t offset, std::size_t length) const {
    Segments out;
    if (offset >= size_) return out;
    length = std::min(length, size_ - offset);
    out.size_ = length;
    const Part* from = parts_.data();
    for (; offset >= from->size; ++from) offset -= from->size;
    Part* to = out.parts_.data();
    for (; length != 0; ++from, ++to, offset = 0) {
      const std::size_t n = std::min(length, from->size - offset);
      *to = {from->data + offset, n};
      length -= n;
    }
    out.count_ = static_cast<std::size_t>(to - out.parts_.data());
    return out;
  }

  /// All but the last `n` bytes; empty if the sequence has at most `n` bytes.
  Segments without_last(std::size_t n) const {
    if (n >= size_) return {};
    Segments out = *this;
    out.size_ -= n;
    for (; n >= out.parts_[out.count_ - 1].size; --out.count_) n -= out.parts_[out.count_ - 1].size;
    out.parts_[out.count_ - 1].size -= n;
    return out;
  }

  /// Copies up to `length` bytes, starting at `offset`, to `out`. Returns the number of bytes copied.
  std::size_t copy(std::size_t offset, std::size_t length, std::uint8_t* out) const {
    if (offset >= size_) return 0;
    length = std::min(length, size_ - offset);
    const Part* from = parts_.data();
    for (; offset >= from->size; ++from) offset -= from->size;
    for (std::size_t left = length; left != 0; ++from, offset = 0) {
      const std::size_t n = std::min(left, from->size - offset);
      std::memcpy(out, from->data + offset, n);
      out += n;
      left -= n;
    }
    return length;
  }

  /// Returns a pointer to a contiguous copy of the bytes [offset, offset + length) or, if all of them are in
  /// the first range, to the bytes themselves. A copy is stored in `scratch`, which must have room for
  /// `length` bytes. Returns null if the sequence ends before offset + length.
  const std::uint8_t* piece(std::size_t offset, std::size_t length, std::uint8_t* scratch) const {
    if (count_ != 0 && offset <= parts_[0].size && length <= parts_[0].size - offset)
      return parts_[0].data + offset;
    return copy(offset, length, scratch) == length ? scratch : nullptr;
  }

  /// Calls fn(ByteSpan) for each range in order.
  template <typename Fn>
  void for_each(Fn&& fn) const {
    for (std::size_t i = 0; i < count_; ++i) fn(part(i));
  }

 private:
  struct Part {
    const std::uint8_t* data;
    std::size_t size;
  };

  std::array<Part, kMax> parts_;  ///< only the first count_ elements are initialized
  std::size_t count_ = 0;
  std::size_t size_ = 0;
};

}  // namespace softfeb
