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

/// Changes `frame`, an Ethernet frame in one piece whose headers are at `at`, and returns its new length in
/// bytes. Returns nullopt and changes nothing if the frame does not contain the bytes that the action
/// changes. Marks leave the iCRC valid, because it does not cover the fields. The IPv4 checksum is corrected
/// unless it is the target itself. kTruncate does not change the lengths in the headers. An iCRC is not
/// computed for packets with a congestion control header.
std::optional<std::size_t> edit(const FaultAction& action, MutableByteSpan frame, const RoceLocation& at);

/// Sets ECN to CE in the IP header at `ip` and updates the IPv4 checksum. Returns false and writes nothing
/// when the packet is not ECN-capable or already marked.
bool set_congestion_experienced(std::uint8_t* ip, bool ipv6);

}  // namespace softfeb::faults
