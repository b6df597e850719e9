// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace softfeb {

/// Fetches a cache line that will be written, so that no other core keeps a copy of it: a store that has to
/// ask for that when its turn has come holds up all behind it. Any address will do. What compilers make of
/// __builtin_prefetch() for writing, and DPDK of rte_prefetch0_write(), is an ordinary prefetch unless they
/// may assume PREFETCHW, which x86-64-v2 lacks; a CPU without it does nothing here.
inline void claim_line(const void* at) { __asm__ volatile("prefetchw (%0)" : : "r"(at)); }

/// So many lines from `at` on.
inline void claim_lines(const void* at, unsigned lines) {
  const auto* const line = static_cast<const std::uint8_t*>(at);
  for (unsigned k = 0; k < lines; ++k) claim_line(line + std::uintptr_t{64} * k);
}

}  // namespace softfeb
