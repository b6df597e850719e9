// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "roce/ip.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace softfeb::engine {

/// Which MAC address an IP address has: static entries, and ones learned by ARP that expire. Fixed memory:
/// 256 entries, the one nearest to its end makes room for a new one; static entries stay.
class NeighbourTable {
 public:
  static constexpr std::size_t kCapacity = 256;
  static constexpr Time kLifetime = 300 * kSecond;

  /// False when all entries are static and none is left.
  bool set_static(const roce::IpAddress& ip, const roce::MacAddress& mac);
  void learn(const roce::IpAddress& ip, const roce::MacAddress& mac, Time now);
  std::optional<roce::MacAddress> find(const roce::IpAddress& ip, Time now) const;
  std::size_t size() const { return used_; }

 private:
  struct Entry {
    roce::IpAddress ip;
    roce::MacAddress mac{};
    Time expires = 0;  ///< kNever: static
  };

  Entry* lookup(const roce::IpAddress& ip);
  Entry* room();

  std::array<Entry, kCapacity> entries_;
  std::size_t used_ = 0;
};

}  // namespace softfeb::engine
