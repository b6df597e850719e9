// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

namespace softfeb {

/// A 48-bit counter in six bytes, for rare events. At a million events per second it wraps after almost nine
/// years.
class Count48 {
 public:
  operator std::uint64_t() const {  // NOLINT(google-explicit-constructor): a counter is a number
    return words_[0] | std::uint64_t{words_[1]} << 16 | std::uint64_t{words_[2]} << 32;
  }
  Count48& operator++() { return *this = *this + 1; }
  Count48& operator--() { return *this = *this - 1; }
  Count48& operator=(std::uint64_t n) {
    for (auto& word : words_) {
      word = static_cast<std::uint16_t>(n);
      n >>= 16;
    }
    return *this;
  }

 private:
  std::array<std::uint16_t, 3> words_{};
};

}  // namespace softfeb
