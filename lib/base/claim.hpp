// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace softfeb {

/// Prefetches the cache line at `at` for writing, so that no other core keeps a copy. Without the prefetch, a
/// store to the line must first request ownership, which delays all later stores. `at` may be any address: a
/// prefetch never faults.
///
/// On x86-64, uses PREFETCHW directly. x86-64-v2, for which softfeb is compiled, does not include PREFETCHW.
/// For such a target, compilers turn __builtin_prefetch() for writing, and with it DPDK's
/// rte_prefetch0_write(), into a prefetch for reading. On a CPU without PREFETCHW, the function does nothing.
inline void claim_line(const void* at) {
#if defined(__x86_64__)
  __asm__ volatile("prefetchw (%0)" : : "r"(at));
#else
  __builtin_prefetch(at, 1);
#endif
}

/// Prefetches `lines` cache lines, starting at `at`, for writing.
inline void claim_lines(const void* at, unsigned lines) {
  const auto* const line = static_cast<const std::uint8_t*>(at);
  for (unsigned k = 0; k < lines; ++k) claim_line(line + std::uintptr_t{64} * k);
}

}  // namespace softfeb
