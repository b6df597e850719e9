// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"
#include "roce/ip.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::fabric {

/// Which station has a MAC address: those of the configuration, and up to kLearnt more that were seen coming
/// from stations without an address of their own. All switches learn at once, from a frame's entry.
class AddressTable {
 public:
  static constexpr std::size_t kLearnt = 8192;

  /// Throws std::invalid_argument for two stations of one address.
  explicit AddressTable(const std::vector<StationConfig>& stations);

  /// The station of `mac`; kEverybody: a group address; kNobody: one that bridges keep to themselves;
  /// kSomebody: not known.
  std::uint32_t find(const std::uint8_t* mac) const;
  /// A frame from `mac` came from `station`, one that learns. Configured addresses stay where they are.
  void learn(const std::uint8_t* mac, std::uint32_t station);

 private:
  struct Entry {
    std::uint64_t mac = 0;  ///< 0: free
    std::uint32_t station = 0;
    bool learnt = false;
  };
  Entry& slot(std::uint64_t mac);
  const Entry& slot(std::uint64_t mac) const;

  std::vector<Entry> entries_;  ///< open addressing, at most half full
  std::size_t room_ = kLearnt;
  unsigned shift_ = 0;
};

}  // namespace softfeb::fabric
