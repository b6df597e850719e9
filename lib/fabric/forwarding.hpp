// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"
#include "roce/ip.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::fabric {

/// Maps MAC addresses to stations. All switches share the table. The table contains the configured addresses,
/// and the addresses that are learnt when frames from stations without a configured address enter the
/// network. The maximum number of learnt addresses is kLearnt, or two for each station if that is more.
class AddressTable {
 public:
  static constexpr std::size_t kLearnt = 8192;

  /// Throws std::invalid_argument if two stations have the same address, or if an address is not an
  /// individual address.
  explicit AddressTable(const std::vector<StationConfig>& stations);

  /// Returns the station of `mac`; kEverybody for a group address, kNobody for a reserved address that
  /// bridges do not forward, kSomebody for an unknown address.
  std::uint32_t find(const std::uint8_t* mac) const;
  /// Records that `mac` is an address of `station`, which has no configured address. Ignores configured
  /// addresses, addresses that are not individual, and new addresses if the table is full.
  void learn(const std::uint8_t* mac, std::uint32_t station);

 private:
  struct Entry {
    std::uint64_t mac = 0;  ///< 0 if the entry is free
    std::uint32_t station = 0;
    bool learnt = false;
  };
  Entry& slot(std::uint64_t mac);
  const Entry& slot(std::uint64_t mac) const;

  std::vector<Entry> entries_;  ///< open addressing, at most half full
  std::size_t room_;
  unsigned shift_ = 0;
};

}  // namespace softfeb::fabric
