// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace softfeb {

/// Prefetches the cache line at `at` for writing, so that no other core keeps a copy. Without the prefetch, a
/// store to the line must first request ownership, which delays all later stores. `at` may be any address: a
/// prefetch never faults.
///
/// Uses PREFETCHW directly. Compilers turn __builtin_prefetch() for writing into an ordinary prefetch unless
/// they may assume PREFETCHW, which is not part of x86-64-v2. This also affects DPDK's rte_prefetch0_write().
/// On a CPU without PREFETCHW, the function does nothing.
inline void claim_line(const void* at) { __asm__ volatile("prefetchw (%0)" : : "r"(at)); }

/// Prefetches `lines` cache lines, starting at `at`, for writing.
inline void claim_lines(const void* at, unsigned lines) {
  const auto* const line = static_cast<const std::uint8_t*>(at);
  for (unsigned k = 0; k < lines; ++k) claim_line(line + std::uintptr_t{64} * k);
}

}  // namespace softfeb
