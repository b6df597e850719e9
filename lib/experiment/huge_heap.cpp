// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/huge_heap.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

namespace softfeb::experiment {

namespace {

constexpr std::size_t kReserved = std::size_t{1} << 30;
constexpr std::size_t kHuge = std::size_t{2} << 20;
/// The largest threshold that glibc accepts. Smaller blocks come from the heap, not from mappings of their
/// own.
constexpr int kMapThreshold = 32 << 20;

/// Makes glibc extend the heap by kReserved bytes of address space. A page of this address space occupies
/// memory only after it has been touched.
void extend_heap() {
  mallopt(M_MMAP_THRESHOLD, kMapThreshold);
  mallopt(M_TRIM_THRESHOLD, -1);  // never return the end of the heap to the kernel
  mallopt(M_TOP_PAD, static_cast<int>(kReserved));
  // The pointer is volatile, because the compiler may otherwise omit the allocation of an unused block.
  void* volatile block = std::malloc(kMapThreshold / 2);
  std::free(block);
  mallopt(M_TOP_PAD, kMapThreshold);
}

void advise(const void* begin, const void* end) {
  const auto first = (reinterpret_cast<std::uintptr_t>(begin) + kHuge - 1) / kHuge * kHuge;
  const auto last = reinterpret_cast<std::uintptr_t>(end) / kHuge * kHuge;
  // Ignore errors: without huge pages, the simulation is only slower.
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

}  // namespace

void use_huge_heap() {
  static const bool once = [] {
    const void* const begin = sbrk(0);
    extend_heap();
    advise(begin, sbrk(0));
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace softfeb::experiment
