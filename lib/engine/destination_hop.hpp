// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "engine/identity.hpp"
#include "engine/neighbours.hpp"
#include "roce/ip.hpp"

#include <optional>

namespace softfeb::engine {

/// MAC address of the next hop to a destination. A register write may change the destination at any time.
/// While the MAC address is unknown, requests for it are repeated once per second, without limit.
class DestinationHop {
 public:
  /// Sets the address of the next hop on the way to the destination. std::nullopt means that there is no
  /// destination.
  void set(const std::optional<roce::IpAddress>& next_hop, const NeighbourTable& neighbours, Time now) {
    if (next_hop == hop_) return;
    hop_ = next_hop;
    mac_.reset();
    retry_at_ = kNever;
    if (!hop_) return;
    mac_ = neighbours.find(*hop_, now);
    if (!mac_) retry_at_ = now;
  }
  /// Stores the MAC address of the neighbour `ip` if it is the next hop, even if another MAC address was
  /// known before.
  void learned(const roce::IpAddress& ip, const roce::MacAddress& mac) {
    if (hop_ != ip) return;
    mac_ = mac;
    retry_at_ = kNever;
  }
  /// Returns true if a request for ip() must be sent at `now`. The next request is then due one second later.
  /// Returns false if `neighbours` contains the MAC address, which is then used.
  bool take_request(const NeighbourTable& neighbours, Time now) {
    if (retry_at_ > now) return false;
    if (const auto mac = neighbours.find(*hop_, now)) {
      learned(*hop_, *mac);
      return false;
    }
    retry_at_ = now + kAgain;
    return true;
  }
  /// Time at which the next request is due; kNever if none is.
  Time request_at() const { return retry_at_; }
  const roce::IpAddress& ip() const { return *hop_; }  ///< requires a destination
  const std::optional<roce::MacAddress>& mac() const { return mac_; }

 private:
  static constexpr Time kAgain = 1 * kSecond;  // RFC 1122 section 2.3.2.1: at most one request per second

  std::optional<roce::IpAddress> hop_;
  std::optional<roce::MacAddress> mac_;
  Time retry_at_ = kNever;
};

}  // namespace softfeb::engine
