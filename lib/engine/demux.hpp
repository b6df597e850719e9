// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/endpoint.hpp"
#include "roce/frame.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::engine {

/// Whose frame is it: (VLAN, destination address) → endpoint, as DESIGN has it. Frames for the address of
/// another worker's endpoint, or for nobody, are told apart by the caller through kNobody.
class Demux {
 public:
  static constexpr std::uint32_t kNobody = UINT32_MAX;

  /// False when (VLAN, address) is taken.
  bool insert(const Identity& identity, std::uint32_t endpoint);

  /// The endpoint a frame is addressed to; an ARP packet goes to the endpoint whose address it asks for or
  /// answers.
  std::uint32_t find(const roce::ParsedFrame& frame) const;

 private:
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
};

}  // namespace softfeb::engine
