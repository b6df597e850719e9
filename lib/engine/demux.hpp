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

/// Whose frame is it: (VLAN, destination address) → endpoint, as DESIGN has it. Frames for the address of
/// another worker's endpoint, or for nobody, are told apart by the caller through kNobody. Pause frames know
/// neither VLAN nor address: they go to MAC addresses.
class Demux {
 public:
  static constexpr std::uint32_t kNobody = UINT32_MAX;

  /// False when (VLAN, address) is taken.
  bool insert(const Identity& identity, std::uint32_t endpoint);

  /// The endpoint a frame is addressed to; an ARP packet goes to the endpoint whose address it asks for or
  /// answers.
  std::uint32_t find(const roce::ParsedFrame& frame) const;

  /// The endpoints that a pause frame is for: those of its destination MAC address, whatever their VLAN, or
  /// all of them where it is the group address. find() gives nobody for it.
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
