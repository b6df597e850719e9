// SPDX-License-Identifier: BSD-3-Clause
#include "roce/registration_table.hpp"

#include <algorithm>

namespace softfeb::roce {

RegistrationTable::RegistrationTable(std::uint32_t entries, std::uint32_t mask_bits,
                                     std::pmr::memory_resource* memory)
    : mask_bits_(mask_bits),
      words_((std::size_t{mask_bits} + 63) / 64),
      entries_(entries, memory),
      masks_(entries * words_, memory),
      free_(entries, memory),
      by_age_(memory),
      by_address_(memory) {
  for (std::uint32_t k = 0; k < entries; ++k) free_[k] = entries - 1 - k;
  by_age_.reserve(entries);
  by_address_.reserve(entries);
}

std::size_t RegistrationTable::after(std::uint64_t address) const {
  const auto at =
      std::upper_bound(by_address_.begin(), by_address_.end(), address,
                       [this](std::uint64_t a, std::uint32_t slot) { return a < entries_[slot].address; });
  return static_cast<std::size_t>(at - by_address_.begin());
}

std::uint32_t RegistrationTable::holding(std::uint64_t address) const {
  const std::size_t next = after(address);
  if (next == 0) return kNone;
  const std::uint32_t slot = by_address_[next - 1];
  return entries_[slot].holds(address) ? slot : kNone;
}

std::uint32_t RegistrationTable::of(std::uint32_t source, std::uint32_t op) const {
  for (const std::uint32_t slot : by_age_) {
    if (entries_[slot].source == source && entries_[slot].op == op) return slot;
  }
  return kNone;
}

bool RegistrationTable::overlaps(std::uint64_t address, std::uint64_t bytes) const {
  const std::size_t next = after(address);
  if (next != 0 && entries_[by_address_[next - 1]].overlaps(address, bytes)) return true;
  return next != by_address_.size() && entries_[by_address_[next]].overlaps(address, bytes);
}

std::uint32_t RegistrationTable::add(const RegistrationEntry& entry) {
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  by_address_.insert(by_address_.begin() + static_cast<std::ptrdiff_t>(after(entry.address)), slot);
  by_age_.push_back(slot);
  entries_[slot] = entry;
  entries_[slot].left = entry.count - 1;
  std::uint64_t* const mask = masks_.data() + slot * words_;
  std::fill_n(mask, words_, 0);
  mask[0] = 1;
  for (std::uint32_t k = entry.count; k < mask_bits_;) {
    if (k % 64 == 0 && k + 64 <= mask_bits_) {
      mask[k / 64] = ~std::uint64_t{0};
      k += 64;
    } else {
      mask[k / 64] |= std::uint64_t{1} << (k % 64);
      ++k;
    }
  }
  return slot;
}

bool RegistrationTable::mark(std::uint32_t slot, std::uint64_t packet) {
  std::uint64_t& word = masks_[slot * words_ + packet / 64];
  const std::uint64_t bit = std::uint64_t{1} << (packet % 64);
  if ((word & bit) != 0) return false;
  word |= bit;
  --entries_[slot].left;
  return true;
}

void RegistrationTable::remove(std::uint32_t slot) {
  by_age_.erase(std::find(by_age_.begin(), by_age_.end(), slot));
  by_address_.erase(std::find(by_address_.begin(), by_address_.end(), slot));
  free_.push_back(slot);
}

}  // namespace softfeb::roce
