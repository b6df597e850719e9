// SPDX-License-Identifier: BSD-3-Clause
#include "verbs_memory.hpp"

#include "receive_accounting.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/mman.h>

namespace softfeb::sink {

MappedMemory::MappedMemory(std::size_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED)
    refuse("cannot allocate " + std::to_string(bytes) + " bytes of memory (rdma-sink --memory)", errno);
  bytes_ = {static_cast<std::uint8_t*>(at), bytes};
  std::memset(at, kUntouched, bytes);
}

MappedMemory::~MappedMemory() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

MappedMemory::MappedMemory(MappedMemory&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MrPtr register_region(ibv_pd* pd, MutableByteSpan memory, int access) {
  MrPtr region(ibv_reg_mr(pd, memory.data(), memory.size(), IBV_ACCESS_LOCAL_WRITE | access));
  if (!region)
    refuse("a memory region of " + std::to_string(memory.size()) +
               " bytes cannot be registered (fix: ulimit -l unlimited, or a smaller --memory)",
           errno);
  return region;
}

PdPtr allocate_pd(const Device& device) {
  PdPtr pd(ibv_alloc_pd(device.context()));
  if (!pd) refuse("cannot allocate a protection domain", errno);
  return pd;
}

}  // namespace softfeb::sink
