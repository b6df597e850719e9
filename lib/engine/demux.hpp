// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/endpoint.hpp"
#include "roce/frame.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::engine {

/// Maps received frames to endpoints by (VLAN, destination IP address). find() returns kNobody for unknown
/// addresses; the caller decides what to do with those frames. Pause frames carry neither a VLAN nor an IP
/// address and are matched by destination MAC address.
class Demux {
 public:
  static constexpr std::uint32_t kNobody = UINT32_MAX;

  /// Returns false if the (VLAN, IP address) is already in use.
  bool insert(const Identity& identity, std::uint32_t endpoint);

  /// Returns the endpoint that a frame is addressed to; kNobody if there is none. ARP packets and multicast
  /// neighbour solicitations are matched by their target address.
  std::uint32_t find(const roce::ParsedFrame& frame) const;

  /// Calls `take` for each endpoint, in any VLAN, to which a pause frame for `dest` is addressed: all
  /// endpoints if `dest` is the multicast address, otherwise those with this MAC address. find() returns
  /// kNobody for pause frames.
  template <typename Take>
  void for_each_paused(const roce::MacAddress& dest, Take&& take) const {
    const bool all = dest == roce::kPauseAddress;
    auto it = all ? macs_.begin() : std::lower_bound(macs_.begin(), macs_.end(), Station{dest, 0});
    for (; it != macs_.end() && (all || it->mac == dest); ++it) take(it->endpoint);
  }

 private:
  struct Station {
    roce::MacAddress mac{};
    std::uint32_t endpoint = 0;
    auto operator<=>(const Station&) const = default;
  };
  struct Key {
    std::uint16_t vlan = 0;
    roce::IpAddress ip;
    bool operator==(const Key&) const = default;
  };
  struct Slot {
    Key key;
    std::uint32_t endpoint = kNobody;
  };

  static std::size_t hash(const Key& key);
  std::uint32_t look_up(const Key& key) const;
  void place(const Key& key, std::uint32_t endpoint);

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  std::vector<Station> macs_;  ///< sorted
};

}  // namespace softfeb::engine
