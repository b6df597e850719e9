// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "engine/hash_chains.hpp"
#include "roce/ip.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::engine {

/// Which MAC address an IP address has: static entries, and ones learned by ARP or neighbour discovery that
/// expire. Lookups are by hash. Learned entries have fixed memory, kLearned of them (10 KiB); when all are
/// taken, a new one replaces the one that came first. What a board's queue pairs need does not depend on this
/// table: see NextHops.
class NeighbourTable {
 public:
  static constexpr std::size_t kLearned = 256;
  static constexpr Time kLifetime = 300 * kSecond;

  NeighbourTable() : learned_(kLearned), learned_by_ip_(kLearned) {}

  /// Holds whatever is learned. Allocates: not on the packet path.
  void set_static(const roce::IpAddress& ip, const roce::MacAddress& mac);
  /// How often set_static() was called.
  std::uint32_t static_changes() const { return static_changes_; }

  void learn(const roce::IpAddress& ip, const roce::MacAddress& mac, Time now);
  std::optional<roce::MacAddress> find(const roce::IpAddress& ip, Time now) const;
  std::size_t size() const { return statics_.size() + used_; }

 private:
  struct Entry {
    roce::IpAddress ip;
    roce::MacAddress mac{};
    Time expires = kNever;
  };

  static std::uint32_t look_up(const std::vector<Entry>& entries, const HashChains& by_ip,
                               const roce::IpAddress& ip);
  std::uint32_t make_room();

  std::vector<Entry> statics_;
  HashChains statics_by_ip_;
  std::uint32_t static_changes_ = 0;
  std::vector<Entry> learned_;  ///< used as a ring
  HashChains learned_by_ip_;
  std::size_t used_ = 0;
  std::size_t oldest_ = 0;
};

}  // namespace softfeb::engine
