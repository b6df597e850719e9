// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>

namespace softfeb {

/// A pointer that either owns its value or borrows it. Several pointers may borrow the same value. A Held is
/// as large as a plain pointer, because it marks ownership in the lowest bit.
template <typename T>
class Held {
 public:
  Held() = default;
  /// Moves `value` to the heap and owns it.
  explicit Held(T&& value) : bits_(reinterpret_cast<std::uintptr_t>(new T(std::move(value))) | kOwn) {}
  /// Borrows `*kept`, which must outlive this object.
  explicit Held(T* kept) : bits_(reinterpret_cast<std::uintptr_t>(kept)) { static_assert(alignof(T) > kOwn); }
  Held(Held&& other) noexcept : bits_(std::exchange(other.bits_, 0)) {}
  Held& operator=(Held&& other) noexcept {
    std::swap(bits_, other.bits_);
    return *this;
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (own()) delete get();
  }

  bool own() const { return (bits_ & kOwn) != 0; }
  explicit operator bool() const { return bits_ != 0; }
  T* get() const { return reinterpret_cast<T*>(bits_ & ~kOwn); }
  T& operator*() const { return *get(); }
  T* operator->() const { return get(); }

 private:
  static constexpr std::uintptr_t kOwn = 1;

  std::uintptr_t bits_ = 0;
};

}  // namespace softfeb
