// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace softfeb::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

/// Reads the fuzzer's bytes from front to back.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

  bool empty() const { return rest_.empty(); }
  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const std::uint8_t b = rest_[0];
    rest_ = rest_.subspan(1);
    return b;
  }
  /// Returns a number below `bound`, made from the next two bytes and therefore at most 65,535. `bound` must
  /// not be 0.
  std::size_t size(std::size_t bound) {
    const std::size_t low = byte();
    return (low | static_cast<std::size_t>(byte()) << 8) % bound;
  }
  ByteSpan bytes(std::size_t n) {
    const ByteSpan out = rest_.first(std::min(n, rest_.size()));
    rest_ = rest_.subspan(out.size());
    return out;
  }

 private:
  ByteSpan rest_;
};

}  // namespace softfeb::fuzz
