// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

namespace softfeb {

/// A counter of what happens seldom, in six bytes: 2^48 of anything are more than nine years at a million a
/// second.
class Count48 {
 public:
  operator std::uint64_t() const {  // NOLINT(google-explicit-constructor): it is a number
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
