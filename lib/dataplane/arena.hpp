// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

struct rte_device;
struct rte_memzone;

namespace softfeb::dataplane {

/// Memory for payloads, which packets refer to without copying (external buffers): known to DPDK, mapped for
/// the NICs, present before the first packet (no page fault in a worker). Filled before or outside the
/// workers, then only read. Outlives all packets: made after Eal, destroyed after every Port and Device.
class Arena {
 public:
  /// At least `bytes`, zeroed, of NUMA node `node` while that has any (-1: any). Throws EnvironmentError.
  explicit Arena(std::size_t bytes, int node = -1);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  MutableByteSpan bytes() { return {base_, size_}; }
  const std::uint8_t* data() const { return base_; }
  std::size_t size() const { return size_; }

  /// Takes the next `length` bytes, aligned to 64. Throws EnvironmentError when the arena is full.
  MutableByteSpan allocate(std::size_t length);

  /// Lets the port's NIC read the arena (nothing to do for virtual devices). Before the port starts sending.
  void map_for(std::uint16_t port_id);

  bool contains(const std::uint8_t* p, std::size_t length) const {
    const auto offset = reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(base_);
    return offset <= size_ && length <= size_ - offset;
  }
  /// I/O address of a byte of the arena.
  std::uint64_t iova(const std::uint8_t* p) const {
    return iova_base_ + static_cast<std::uint64_t>(p - base_);
  }

 private:
  bool reserve_contiguous(int node);
  void map_pages();

  std::uint8_t* base_ = nullptr;
  std::size_t size_ = 0;
  std::size_t used_ = 0;
  std::size_t page_ = 0;
  std::uint64_t iova_base_ = 0;
  bool registered_ = false;
  const rte_memzone* zone_ = nullptr;  ///< where the memory is DPDK's own
  std::vector<rte_device*> mapped_;
};

}  // namespace softfeb::dataplane
