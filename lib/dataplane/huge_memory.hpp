// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory_resource>

namespace softfeb::dataplane {

/// Memory in huge pages where the kernel has them to give (transparent ones, `madvise` or `always` in
/// /sys/kernel/mm/transparent_hugepage/enabled), for what lies in many megabytes and is touched in no order:
/// a TLB knows few pages of 4 KiB. Pieces below a megabyte come from the heap. For set-up: each piece is a
/// system call.
class HugeMemory final : public std::pmr::memory_resource {
 public:
  /// The one that everybody may use: it has no state.
  static HugeMemory& instance();

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* at, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};

}  // namespace softfeb::dataplane
