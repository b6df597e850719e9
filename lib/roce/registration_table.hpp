// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

namespace softfeb::roce {

/// A registered operation: the memory that it writes to, and the number of its packets.
struct RegistrationEntry {
  std::uint32_t source = 0;
  std::uint32_t op = 0;
  std::uint64_t address = 0;  ///< address of the first byte
  std::uint64_t bytes = 0;    ///< length in bytes, at least 1
  std::uint32_t count = 0;    ///< number of packets
  std::uint32_t left = 0;     ///< number of packets that have not arrived
  Time since = 0;             ///< time of registration

  /// True if the memory contains the byte at `at`. Addresses come from the network, so a sum could overflow;
  /// this function and overlaps() therefore avoid sums.
  bool holds(std::uint64_t at) const { return at >= address && at - address < bytes; }
  bool overlaps(std::uint64_t at, std::uint64_t length) const {
    return at >= address ? at - address < bytes : address - at < length;
  }
};

/// The entries of a registration table with their masks. The memory ranges of two entries never overlap, so
/// an address is in at most one entry, which is found by bisection. Only the constructor allocates.
class RegistrationTable {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// Reserves memory for `entries` operations of up to `mask_bits` packets.
  RegistrationTable(std::uint32_t entries, std::uint32_t mask_bits, std::pmr::memory_resource* memory);

  std::size_t size() const { return by_age_.size(); }
  bool full() const { return free_.empty(); }
  /// Slot of the k-th oldest entry, counted from 0.
  std::uint32_t oldest(std::size_t k) const { return by_age_[k]; }
  RegistrationEntry& at(std::uint32_t slot) { return entries_[slot]; }
  const RegistrationEntry& at(std::uint32_t slot) const { return entries_[slot]; }

  /// Slot of the entry whose memory contains `address`; kNone if there is none.
  std::uint32_t holding(std::uint64_t address) const;
  /// Slot of the entry of this operation; kNone if there is none. Searches all entries.
  std::uint32_t of(std::uint32_t source, std::uint32_t op) const;
  /// True if [address, address + bytes) overlaps the memory of an entry.
  bool overlaps(std::uint64_t address, std::uint64_t bytes) const;

  /// Adds an entry whose first packet has arrived. The entry's memory must not overlap that of another entry.
  /// In the entry's mask, sets bit 0 for the first packet, and the bits from `count` to mask_bits − 1, which
  /// belong to no packet. Requires !full() and 1 ≤ count ≤ mask_bits.
  std::uint32_t add(const RegistrationEntry& entry);
  /// Sets bit `packet` of the mask. Returns false if the bit was already set.
  bool mark(std::uint32_t slot, std::uint64_t packet);
  void remove(std::uint32_t slot);

  /// Bit k of the mask is bit k mod 64 of word k / 64; bits beyond mask_bits are 0.
  std::span<const std::uint64_t> mask(std::uint32_t slot) const { return {words(slot), words_}; }

 private:
  const std::uint64_t* words(std::uint32_t slot) const { return masks_.data() + slot * words_; }
  /// First position in by_address_ whose entry begins after `address`.
  std::size_t after(std::uint64_t address) const;

  std::uint32_t mask_bits_;
  std::size_t words_;  ///< number of words in a mask
  std::pmr::vector<RegistrationEntry> entries_;
  std::pmr::vector<std::uint64_t> masks_;
  std::pmr::vector<std::uint32_t> free_;
  std::pmr::vector<std::uint32_t> by_age_;
  std::pmr::vector<std::uint32_t> by_address_;
};

}  // namespace softfeb::roce
