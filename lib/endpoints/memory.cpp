// SPDX-License-Identifier: BSD-3-Clause
#include "endpoints/memory.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include <sys/mman.h>

namespace softfeb::endpoints {

namespace {
constexpr std::uint64_t kPage = 4096;

std::uint64_t unlike(const std::uint8_t* got, const std::uint8_t* want, std::uint32_t n) {
  if (std::memcmp(got, want, n) == 0) return 0;
  std::uint64_t count = 0;
  for (std::uint32_t i = 0; i < n; ++i) count += got[i] != want[i] ? 1 : 0;
  return count;
}

/// Counts wrong bytes in [`from`, `to`) of a slot that message `n` wrote.
std::uint64_t wrong_of_message(const WrittenMemory& w, std::uint64_t n, std::span<const std::uint8_t> slot,
                               std::uint32_t from, std::uint32_t to) {
  const std::uint64_t offset = w.plan.at(n).offset;
  std::uint64_t wrong = 0;
  for (std::uint32_t at = from / w.pmtu * w.pmtu; at < to; at += w.pmtu) {
    const std::uint32_t part = std::min(w.pmtu, to - at);
    const std::uint32_t skip = at < from ? from - at : 0;
    const std::uint8_t* const want = w.payload->bytes(offset + at, part);
    if (want != nullptr) wrong += unlike(slot.data() + at + skip, want + skip, part - skip);
  }
  return wrong;
}

/// Counts wrong bytes in a slot whose last message was `n`.
std::uint64_t wrong_in_slot(const WrittenMemory& w, std::uint64_t n, std::span<const std::uint8_t> slot) {
  const auto length_of = [&](std::uint64_t message) {
    const std::uint32_t length = w.lengths ? w.lengths.at(message) : w.plan.at(message).length;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(length, slot.size()));
  };
  std::uint32_t checked = length_of(n);
  std::uint64_t wrong = wrong_of_message(w, n, slot, 0, checked);
  if (!w.lengths) return wrong;
  // After the end of the last message, the slot still contains the end of earlier messages that were longer.
  while (n >= w.slots && checked < slot.size()) {
    n -= w.slots;
    const std::uint32_t length = length_of(n);
    if (length <= checked) continue;
    wrong += wrong_of_message(w, n, slot, checked, length);
    checked = length;
  }
  return wrong + bytes_not_zero(slot.subspan(checked));
}

}  // namespace

ReceiverMemory::ReceiverMemory(std::uint64_t bytes, bool is_here) : size_(bytes) {
  if (bytes == 0) return;
  void* const p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) {
    throw EnvironmentError("no " + std::to_string(bytes >> 20) + " MiB of memory for a receiver",
                           "use a smaller receivers.N.memory, or fewer QPs");
  }
  data_ = static_cast<std::uint8_t*>(p);
  if (!is_here) return;
  // Use huge pages if available. The packets of many queue pairs are written to many locations, and the TLB
  // does not have enough entries for as many 4 KiB pages.
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
    throw EnvironmentError("no " + std::to_string(bytes >> 20) + " MiB of address space for a responder",
                           "use a smaller receivers.N.memory");
  }
  data_ = static_cast<std::uint8_t*>(p);
}

HostMemory::~HostMemory() { munmap(data_, std::max<std::uint64_t>(1, size_)); }

/// Touches only new pages, which no worker uses yet.
std::uint8_t* HostMemory::first(std::uint64_t bytes) {
  for (; present_ < std::min(bytes, size_); present_ += kPage) data_[present_] = 0;
  return data_;
}

std::uint64_t bytes_not_zero(std::span<const std::uint8_t> memory) {
  // Most memory is zero, so check for this case first. If the first byte is 0 and the memory equals itself
  // shifted by one byte, all bytes are 0. memcmp() is faster than a loop over the bytes.
  if (memory.empty() ||
      (memory[0] == 0 && std::memcmp(memory.data(), memory.data() + 1, memory.size() - 1) == 0))
    return 0;
  return static_cast<std::uint64_t>(
      std::count_if(memory.begin(), memory.end(), [](std::uint8_t b) { return b != 0; }));
}

std::uint64_t bytes_out_of_place(const WrittenMemory& w) {
  const std::uint64_t size = w.plan.message_length();
  if (size == 0 || w.slots == 0) return bytes_not_zero(w.memory);
  std::uint64_t wrong = 0;
  const std::uint64_t used = std::min(w.slots, w.messages);
  for (std::uint64_t s = 0; s < used && s * size < w.memory.size(); ++s) {
    const std::uint64_t last = s + (w.messages - 1 - s) / w.slots * w.slots;
    wrong += wrong_in_slot(w, last, w.memory.subspan(s * size, std::min(size, w.memory.size() - s * size)));
  }
  return wrong + bytes_not_zero(w.memory.subspan(std::min<std::uint64_t>(used * size, w.memory.size())));
}

}  // namespace softfeb::endpoints
