// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/arena.hpp"

#include "dataplane/error.hpp"
#include "dataplane/numa.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_memory.h>
#include <rte_memzone.h>
#include <sys/mman.h>

namespace softfeb::dataplane {
namespace {

constexpr std::size_t kSmallPage = 4096;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t round_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

std::string mebibytes(std::size_t bytes) { return std::to_string((bytes >> 20) + 1) + " MiB"; }

}  // namespace

Arena::Arena(std::size_t bytes, int node) {
  size_ = round_up(std::max<std::size_t>(bytes, 1), kSmallPage);
  const MemoryNode near(node);
  if (rte_eal_has_hugepages() != 0 && (reserve_contiguous(node) || (node >= 0 && reserve_contiguous(-1))))
    return;
  if (rte_eal_iova_mode() != RTE_IOVA_VA) {
    throw EnvironmentError(
        "no " + mebibytes(size_) + " of contiguous huge pages for payloads",
        "bind the NIC to vfio-pci with an IOMMU (then addresses are virtual), or reserve more huge pages");
  }
  map_pages();
}

/// Allocates the arena as a DPDK memzone, which all devices can access and which is contiguous even for
/// devices that use physical addresses. Returns false if DPDK has no such memory.
bool Arena::reserve_contiguous(int node) {
  zone_ = rte_memzone_reserve_aligned("softfeb_payload", size_, node < 0 ? SOCKET_ID_ANY : node,
                                      RTE_MEMZONE_IOVA_CONTIG, kSmallPage);
  if (zone_ == nullptr) return false;
  base_ = static_cast<std::uint8_t*>(zone_->addr);
  iova_base_ = zone_->iova;
  std::memset(base_, 0, size_);
  return true;
}

void Arena::map_pages() {
  const auto map = [this](int flags) {
    void* p = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE | flags,
                   -1, 0);
    base_ = p == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(p);
    return base_ != nullptr;
  };
  const std::size_t small = size_;
  size_ = round_up(small, kHugePage);
  page_ = kHugePage;
  if (rte_eal_has_hugepages() == 0 || !map(MAP_HUGETLB)) {
    size_ = small;
    page_ = kSmallPage;
    if (!map(0)) {
      throw EnvironmentError("no " + mebibytes(size_) + " of memory for payloads: " + std::strerror(errno),
                             "use a smaller payload source or file");
    }
  }
  iova_base_ = reinterpret_cast<std::uintptr_t>(base_);
}

Arena::~Arena() {
  for (rte_device* device : mapped_) rte_dev_dma_unmap(device, base_, iova_base_, size_);
  if (zone_ != nullptr) {
    rte_memzone_free(zone_);
  } else {
    if (registered_) rte_extmem_unregister(base_, size_);
    munmap(base_, size_);
  }
}

MutableByteSpan Arena::allocate(std::size_t length) {
  const std::size_t at = round_up(used_, 64);
  if (at > size_ || length > size_ - at) {
    throw EnvironmentError("payloads need more than the arena's " + mebibytes(size_),
                           "make the arena larger");
  }
  used_ = at + length;
  return bytes().subspan(at, length);
}

/// Maps memory only for NICs, which use DMA. Virtual devices read with the CPU, and net_virtio_user does
/// not work with registered memory that is not backed by a file.
void Arena::map_for(std::uint16_t port_id) {
  rte_eth_dev_info info{};
  if (zone_ != nullptr || rte_eth_dev_info_get(port_id, &info) != 0 || info.device == nullptr) return;
  if (std::strcmp(rte_bus_name(rte_dev_bus(info.device)), "vdev") == 0) return;
  if (std::find(mapped_.begin(), mapped_.end(), info.device) != mapped_.end()) return;
  if (!registered_ && rte_extmem_register(base_, size_, nullptr, 0, page_) != 0) {
    throw EnvironmentError(std::string("DPDK rejects the payload memory: ") + rte_strerror(rte_errno),
                           "use a smaller payload source");
  }
  registered_ = true;
  if (rte_dev_dma_map(info.device, base_, iova_base_, size_) == 0) {
    mapped_.push_back(info.device);
    return;
  }
  // The device's bus does not use DMA mappings; rte_extmem_register() is enough.
  if (rte_errno == ENOTSUP) return;
  throw EnvironmentError(std::string("the NIC cannot map the payload memory: ") + rte_strerror(rte_errno),
                         "raise the locked-memory limit (ulimit -l unlimited) or use huge pages");
}

}  // namespace softfeb::dataplane
