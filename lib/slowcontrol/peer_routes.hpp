// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/ip.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace softfeb::slowcontrol {

/// MAC addresses of peers, learnt from each peer's latest datagram. The table has a fixed size. If it is
/// full, a new peer replaces the peer heard least recently, but never the pinned peer.
class PeerRoutes {
 public:
  static constexpr std::size_t kRoom = 16;

  /// Records the MAC address of `ip`. `pinned` is the peer of the open connection, which must stay in the
  /// table.
  void learn(const roce::IpAddress& ip, const roce::MacAddress& mac, const roce::IpAddress& pinned) {
    Route* at = nullptr;
    for (Route& r : routes_) {
      if (r.heard != 0 && r.ip == ip) {
        at = &r;
        break;
      }
      if (r.heard != 0 && r.ip == pinned) continue;
      if (at == nullptr || r.heard < at->heard) at = &r;
    }
    *at = {ip, mac, ++clock_};
  }

  std::optional<roce::MacAddress> find(const roce::IpAddress& ip) const {
    for (const Route& r : routes_) {
      if (r.heard != 0 && r.ip == ip) return r.mac;
    }
    return std::nullopt;
  }

 private:
  struct Route {
    roce::IpAddress ip;
    roce::MacAddress mac{};
    std::uint64_t heard = 0;  ///< logical time of the latest datagram; 0 if the entry is free
  };
  std::array<Route, kRoom> routes_{};
  std::uint64_t clock_ = 0;
};

}  // namespace softfeb::slowcontrol
