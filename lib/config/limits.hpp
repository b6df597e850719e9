// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "roce/path.hpp"

#include <cstdint>
#include <optional>

/// Calculations on a configuration, shared by the loader and the set-up code.
namespace softfeb::config {

inline constexpr std::uint32_t kMaxQpn = 0xff'ffff;
/// Maximum number of next hops of a board, including its static neighbours: about 60 bytes each.
inline constexpr std::size_t kMostNextHops = 16'384;

/// Header and trailer bytes of the largest request packet, from the IP header to the iCRC (IP, UDP 8, BTH 12,
/// RETH 16, ImmDt 4, iCRC 4). The MTU must be at least this plus the path MTU.
constexpr std::uint32_t packet_overhead(bool v6) {
  return roce::max_frame_overhead(v6, false) - roce::kEthernetSize;
}

/// Number of messages for the file in `traffic`, including repeats; none if it sends no file.
std::optional<std::uint64_t> file_messages(const TrafficConfig& traffic);

/// Number of `message_size` slots in a region of `length` bytes, at least 1.
std::uint32_t slots_in(std::uint64_t length, std::uint32_t message_size);

/// Region size that the messages of one QP need, in bytes: its slots, its file, or one message.
std::uint64_t memory_needed(const TrafficConfig& traffic);

/// Region length of each QP of the group, in bytes; the shortest if receivers differ. None if only the
/// receiver knows it (perftest://, sink://).
std::optional<std::uint64_t> region_length(const RunConfig& config, const QpConfig& qp);

}  // namespace softfeb::config
