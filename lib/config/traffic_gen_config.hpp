// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/data_path.hpp"
#include "config/values.hpp"
#include "roce/requester.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::config {

/// Section `traffic_gen` of a board. A board has one traffic generator for each port. The section contains
/// the initial values of the generators' registers, and the settings of the queue pairs over which the
/// generators send WRITEs (doc/registers.md).
struct TrafficGenConfig {
  /// Size in bytes of the slot that a WRITE uses at the receiver, and number of slots for each queue pair.
  static constexpr std::uint32_t kSlotBytes = 9216, kSlots = 8;

  board::TrafficGenSettings registers;
  /// If true, the generators are enabled when the board starts its traffic.
  bool start = false;
  std::vector<std::string> to_names;  ///< names of the receivers, as written in the file; may be empty
  /// Index of the receiver to which this port of the board sends. The vector has one element, or none if
  /// `to_names` is empty. If `to_names` names n receivers, port i sends to receiver i mod n, where i counts
  /// the ports of all replicas.
  std::vector<std::size_t> receivers;
  // Settings of the queue pairs.
  roce::Transport transport = roce::Transport::kRc;
  std::optional<std::uint32_t> pmtu;
  std::uint32_t window = 256;
  std::uint8_t timeout = 14;
  std::uint8_t retry_count = 3;
  /// False if the file has no section `traffic_gen`. The board then has traffic generators because its
  /// register profile contains them.
  bool given = false;
  Where where;

  bool makes_qps() const { return !receivers.empty(); }
};

}  // namespace softfeb::config
