// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "context.hpp"
#include "srp/datagram.hpp"

#include <memory>

namespace softfeb::febctl {

/// Returns a register port that uses SRPv3 over RSSI. Connects immediately; throws NoAnswer if there is no
/// response.
std::unique_ptr<RegisterPort> dial(const BoardAddress& address);

/// Returns the UDP endpoint of a board. Throws UsageError if `address.ip` is not an address.
srp::UdpPeer peer_of(const BoardAddress& address, std::uint16_t port);

}  // namespace softfeb::febctl
