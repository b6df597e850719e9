// SPDX-License-Identifier: BSD-3-Clause
#include "board/prbs31.hpp"

namespace softfeb::board {

void Prbs31::fill(MutableByteSpan out) {
  for (std::size_t i = 0; i < out.size(); i += 3) {
    std::uint32_t bits = next24();
    for (std::size_t k = i; k < i + 3 && k < out.size(); ++k) {
      out[k] = static_cast<std::uint8_t>(bits);
      bits >>= 8;
    }
  }
}

}  // namespace softfeb::board
