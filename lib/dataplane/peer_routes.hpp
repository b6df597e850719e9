// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/ip.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace softfeb::dataplane {

/// By which MAC address peers are answered: the one their datagrams came from last. Bounded: the peer that
/// was not heard for longest makes room, but never the one that is pinned.
class PeerRoutes {
 public:
  static constexpr std::size_t kRoom = 16;

  /// `pinned`: who must not be forgotten (the peer of the open connection).
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
    std::uint64_t heard = 0;  ///< 0: free
  };
  std::array<Route, kRoom> routes_{};
  std::uint64_t clock_ = 0;
};

}  // namespace softfeb::dataplane
