// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace softfeb {

/// Prefetches `cache_lines` cache lines, starting at `at`. `at` may be any address.
inline void prefetch(const void* at, unsigned cache_lines = 1) {
  const auto* const line = static_cast<const std::uint8_t*>(at);
  for (unsigned k = 0; k < cache_lines; ++k) __builtin_prefetch(line + std::uintptr_t{64} * k);
  // Without this statement, GCC assumes that a function that only prefetches has no effect, and removes calls
  // to the function.
  __asm__ volatile("");
}

}  // namespace softfeb
