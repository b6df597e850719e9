// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/frame.hpp"

#include <cstdint>

namespace softfeb::fabric {

/// Hashes the header fields of a frame, so that all packets of a flow have the same hash. `fields` is a set
/// of HashField. Requires the frame's facts.
///
/// For frames that are neither IPv4 nor IPv6, hashes the MAC addresses and ignores `fields`. Omits fields
/// that a packet does not have, or that are not within Frame::header: ports of a fragment, DestQP of a packet
/// that is not RoCEv2.
std::uint64_t flow_hash(const Frame& frame, std::uint8_t fields, std::uint64_t seed);

}  // namespace softfeb::fabric
