// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/path.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::dataplane {

/// Maps MAC addresses to stations. Filled before packets arrive, then read-only.
class StationTable {
 public:
  explicit StationTable(std::size_t stations) : slots_(std::bit_ceil(2 * stations + 2)) {}

  /// Keeps the first station if two have the same address.
  void insert(const roce::MacAddress& mac, std::uint32_t station) {
    Slot& slot = slots_[find_slot(key_of(mac.data()))];
    if (!slot.used) slot = {key_of(mac.data()), station, true};
  }

  /// Returns the station with the MAC address at `mac` (six bytes), or nullopt if there is none.
  std::optional<std::uint32_t> find(const std::uint8_t* mac) const {
    const Slot& slot = slots_[find_slot(key_of(mac))];
    if (!slot.used) return std::nullopt;
    return slot.station;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t station = 0;
    bool used = false;
  };

  static std::uint64_t key_of(const std::uint8_t* mac) {
    std::uint64_t key = 0;
    for (std::size_t i = 0; i < 6; ++i) key = key << 8 | mac[i];
    return key;
  }

  /// Slot that holds `key`, or the free slot for it. At least half of the slots are free.
  std::size_t find_slot(std::uint64_t key) const {
    std::size_t i = static_cast<std::size_t>(key * 0x9e3779b97f4a7c15ULL >> 32);
    for (;; ++i) {
      i &= slots_.size() - 1;
      if (!slots_[i].used || slots_[i].key == key) return i;
    }
  }

  std::vector<Slot> slots_;
};

}  // namespace softfeb::dataplane
