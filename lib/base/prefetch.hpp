// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace softfeb {

/// Fetches so many cache lines from `at` on into the cache. Any address will do.
inline void prefetch(const void* at, unsigned cache_lines = 1) {
  const auto* const line = static_cast<const std::uint8_t*>(at);
  for (unsigned k = 0; k < cache_lines; ++k) __builtin_prefetch(line + std::uintptr_t{64} * k);
  // GCC takes a function that does nothing but this for one without effect, and leaves its calls out.
  __asm__ volatile("");
}

}  // namespace softfeb
