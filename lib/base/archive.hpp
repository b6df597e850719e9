// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace softfeb {

/// Copies the state of objects to another process of the same program, member by member. A class has one
/// function for both directions:
///
///     template <class Archive> void archive(Archive& a) { a.item(count_); a.list(ranges_); }
///
/// Bytes are copied as they are in memory, so both processes must run the same program on the same kind of
/// machine.
class ArchiveWriter {
 public:
  explicit ArchiveWriter(std::vector<std::uint8_t>& out) : out_(out) {}

  template <class T>
  void item(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes(&value, sizeof value);
  }
  template <class T>
  void list(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    item(std::uint64_t{values.size()});
    bytes(values.data(), values.size() * sizeof(T));
  }
  void bytes(const void* data, std::size_t size) {
    const auto* const from = static_cast<const std::uint8_t*>(data);
    out_.insert(out_.end(), from, from + size);
  }

 private:
  std::vector<std::uint8_t>& out_;
};

class ArchiveReader {
 public:
  explicit ArchiveReader(ByteSpan in) : in_(in) {}

  template <class T>
  void item(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes(&value, sizeof value);
  }
  template <class T>
  void list(std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::uint64_t size = 0;
    item(size);
    if (size > in_.size() / sizeof(T)) throw std::runtime_error("a message from another process is cut off");
    values.resize(size);
    bytes(values.data(), size * sizeof(T));
  }
  void bytes(void* data, std::size_t size) {
    const ByteSpan from = view(size);
    if (size != 0) std::memcpy(data, from.data(), size);
  }
  /// Returns the next `size` bytes without copying them.
  ByteSpan view(std::size_t size) {
    if (size > in_.size()) throw std::runtime_error("a message from another process is cut off");
    const ByteSpan bytes = in_.first(size);
    in_ = in_.subspan(size);
    return bytes;
  }
  bool empty() const { return in_.empty(); }

 private:
  ByteSpan in_;
};

}  // namespace softfeb
