// SPDX-License-Identifier: BSD-3-Clause
#include "endpoints/memory.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <string>

#include <sys/mman.h>

namespace softfeb::endpoints {

namespace {
constexpr std::uint64_t kPage = 4096;
}  // namespace

ReceiverMemory::ReceiverMemory(std::uint64_t bytes) : size_(bytes) {
  if (bytes == 0) return;
  void* const p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) {
    throw EnvironmentError("no " + std::to_string(bytes >> 20) + " MiB of memory for a receiver",
                           "a smaller receivers.N.memory, or fewer QPs");
  }
  data_ = static_cast<std::uint8_t*>(p);
  // Use huge pages if available: packets of many queue pairs go to as many locations, more than the TLB has
  // entries for 4 KiB pages.
  madvise(p, bytes, MADV_HUGEPAGE);
  for (std::uint64_t at = 0; at < bytes; at += kPage) data_[at] = 0;
}

ReceiverMemory::~ReceiverMemory() {
  if (data_ != nullptr) munmap(data_, size_);
}

HostMemory::HostMemory(std::uint64_t bytes) : size_(bytes) {
  void* const p = mmap(nullptr, std::max<std::uint64_t>(1, bytes), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) {
    throw EnvironmentError("no " + std::to_string(bytes >> 20) + " MiB of addresses for a responder",
                           "a smaller receivers.N.memory");
  }
  data_ = static_cast<std::uint8_t*>(p);
}

HostMemory::~HostMemory() { munmap(data_, std::max<std::uint64_t>(1, size_)); }

/// Touches only pages that no worker uses yet.
std::uint8_t* HostMemory::first(std::uint64_t bytes) {
  for (; present_ < std::min(bytes, size_); present_ += kPage) data_[present_] = 0;
  return data_;
}

}  // namespace softfeb::endpoints
