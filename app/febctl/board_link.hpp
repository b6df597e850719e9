// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "context.hpp"
#include "srp/datagram.hpp"

#include <memory>

namespace softfeb::febctl {

/// A register port over SRPv3 on RSSI. Connects at once; throws NoAnswer where nobody answers.
std::unique_ptr<RegisterPort> dial(const BoardAddress& address);

/// Throws UsageError where `address.ip` is no address.
srp::UdpPeer peer_of(const BoardAddress& address, std::uint16_t port);

}  // namespace softfeb::febctl
