// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/huge_memory.hpp"

#include <cstdint>
#include <new>

#include <sys/mman.h>

namespace softfeb::dataplane {

namespace {

constexpr std::size_t kHuge = std::size_t{2} << 20;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kLeast = std::size_t{1} << 20;

std::size_t up_to(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }

}  // namespace

HugeMemory& HugeMemory::instance() {
  static HugeMemory memory;
  return memory;
}

void* HugeMemory::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (bytes < kLeast || alignment > kHuge) return ::operator new (bytes, std::align_val_t{alignment});
  // Map one additional huge page, so that the block can be aligned, then unmap the excess.
  const std::size_t size = up_to(bytes, kPage);
  void* const room = mmap(nullptr, size + kHuge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) throw std::bad_alloc();
  auto* const begin = static_cast<std::byte*>(room);
  const auto address = reinterpret_cast<std::uintptr_t>(room);
  const std::size_t head = up_to(address, kHuge) - address;
  if (head != 0) munmap(begin, head);
  munmap(begin + head + size, kHuge - head);
  // Ignore errors: without huge pages the memory is only slower.
  madvise(begin + head, size, MADV_HUGEPAGE);
  return begin + head;
}

void HugeMemory::do_deallocate(void* at, std::size_t bytes, std::size_t alignment) {
  if (bytes < kLeast || alignment > kHuge) {
    ::operator delete (at, std::align_val_t{alignment});
  } else {
    munmap(at, up_to(bytes, kPage));
  }
}

}  // namespace softfeb::dataplane
