// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "roce/path.hpp"

#include <cstdint>
#include <optional>

/// Arithmetic on a configuration that loader and wiring share.
namespace softfeb::config {

inline constexpr std::uint32_t kMaxQpn = 0xff'ffff;
/// Next hops that one board keeps, its static neighbours among them: about 60 bytes each.
inline constexpr std::size_t kMostNextHops = 16'384;

/// Bytes of the largest request packet that are not payload, from the IP header to the iCRC: what the MTU
/// must hold beside the path MTU (IP, UDP 8, BTH 12, RETH 16, ImmDt 4, iCRC 4).
constexpr std::uint32_t packet_overhead(bool v6) {
  return roce::max_frame_overhead(v6, false) - roce::kEthernetSize;
}

/// Messages that `traffic` sends of its file, repeats included; none when it sends no file.
std::optional<std::uint64_t> file_messages(const TrafficConfig& traffic);

/// Address slots of `message_size` that a region of `length` holds, at least 1.
std::uint32_t slots_in(std::uint64_t length, std::uint32_t message_size);

/// Bytes of memory region the messages of one QP need: its slots, or its file, or one message.
std::uint64_t memory_needed(const TrafficConfig& traffic);

/// Length of the memory region each QP of the group writes to (the shortest, when receivers differ); none
/// where only the receiver will tell (perftest://, sink://).
std::optional<std::uint64_t> region_length(const RunConfig& config, const QpConfig& qp);

}  // namespace softfeb::config
