// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "engine/hash_chains.hpp"
#include "roce/ip.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::engine {

/// Maps IP addresses to MAC addresses: static entries, and entries learned by ARP or neighbour discovery.
/// Only learned entries expire. Lookup is by hash. Learned entries use fixed memory (kLearned entries, 10
/// KiB); if all are in use, a new entry replaces the oldest. A board's configured queue pairs keep the MAC
/// address of a resolved next hop even if its entry expires; see NextHops.
class NeighbourTable {
 public:
  static constexpr std::size_t kLearned = 256;
  static constexpr Time kLifetime = 300 * kSecond;

  NeighbourTable() : learned_(kLearned), learned_by_ip_(kLearned) {}

  /// Adds a static entry, which takes precedence over learned ones. Allocates memory, so do not call it on
  /// the packet path.
  void set_static(const roce::IpAddress& ip, const roce::MacAddress& mac);
  /// Number of calls to set_static().
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
  std::vector<Entry> learned_;  ///< ring buffer
  HashChains learned_by_ip_;
  std::size_t used_ = 0;
  std::size_t oldest_ = 0;
};

}  // namespace softfeb::engine
