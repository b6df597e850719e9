// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory_resource>

namespace softfeb::dataplane {

/// Memory resource for large blocks with random access, where 4 KiB pages cause TLB misses. Uses transparent
/// huge pages if the kernel provides them; /sys/kernel/mm/transparent_hugepage/enabled must be set to
/// `madvise` or `always`. Blocks that are smaller than 1 MiB or aligned to more than 2 MiB come from the
/// heap. For set-up only: each large block costs system calls.
class HugeMemory final : public std::pmr::memory_resource {
 public:
  /// The shared instance; it has no state.
  static HugeMemory& instance();

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* at, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};

}  // namespace softfeb::dataplane
