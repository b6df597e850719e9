// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "faults/fault_rule.hpp"
#include "faults/location.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

/// Faults that change the bytes of a packet. The frames are untrusted: lengths in their headers are checked.
namespace softfeb::faults {

/// True for actions that edit() carries out.
constexpr bool is_edit(ActionKind kind) { return kind <= ActionKind::kTruncate; }

/// Changes `frame`, an Ethernet frame in contiguous memory whose headers are located at `at`, and returns its
/// new length in bytes. Returns nullopt and changes nothing if the action cannot be applied: for example, if
/// the frame does not contain the target of kCorrupt, if kMarkCe meets a packet that is not ECN-capable, or
/// if the iCRC must be recomputed for a packet with a congestion control header. Changes to DSCP, ECN and TTL
/// leave the iCRC valid, because it does not cover these fields. The IPv4 checksum is updated unless it is
/// the target itself. kTruncate does not change the lengths in the headers.
std::optional<std::size_t> edit(const FaultAction& action, MutableByteSpan frame, const RoceLocation& at);

/// Sets ECN to CE in the IP header at `ip` and updates the IPv4 checksum. Returns false and writes nothing
/// if the packet is already marked or is not ECN-capable.
bool set_congestion_experienced(std::uint8_t* ip, bool ipv6);

}  // namespace softfeb::faults
