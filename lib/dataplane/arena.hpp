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

/// Memory for payloads that packets reference without copying (external buffers). The constructor allocates
/// the memory and faults it in, so workers take no page faults. map_for() makes the memory accessible to a
/// NIC. Payload is written before the workers start, or by threads that are not workers. It is not changed
/// afterwards. Create the arena after Eal, and destroy it after all Ports and Devices, because it must
/// outlive all packets.
class Arena {
 public:
  /// Allocates at least `bytes` bytes, zeroed, on NUMA node `node` if that node has free memory; -1 means any
  /// node. Throws EnvironmentError.
  explicit Arena(std::size_t bytes, int node = -1);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  MutableByteSpan bytes() { return {base_, size_}; }
  const std::uint8_t* data() const { return base_; }
  std::size_t size() const { return size_; }

  /// Allocates the next `length` bytes, aligned to 64 bytes. Throws EnvironmentError when the arena is full.
  MutableByteSpan allocate(std::size_t length);

  /// Maps the arena for DMA by the port's NIC; does nothing for virtual devices, or if the arena is a DPDK
  /// memzone. Call it before the port starts sending. Throws EnvironmentError.
  void map_for(std::uint16_t port_id);

  bool contains(const std::uint8_t* p, std::size_t length) const {
    const auto offset = reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(base_);
    return offset <= size_ && length <= size_ - offset;
  }
  /// IOVA of a byte in the arena.
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
  const rte_memzone* zone_ = nullptr;  ///< null if the memory is not a DPDK memzone
  std::vector<rte_device*> mapped_;
};

}  // namespace softfeb::dataplane
