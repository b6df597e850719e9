// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::simulator {

/// The division of a network into parts, which one or several processes simulate. Created by
/// lab::plan_parts().
struct Parting {
  std::uint32_t parts = 1;
  std::vector<std::uint32_t> part_of_switch;   ///< indexed like NetworkConfig::switches; empty if parts == 1
  std::vector<std::uint32_t> part_of_station;  ///< indexed like NetworkConfig::stations; empty if parts == 1
  /// Smallest delay of a link between two parts.
  Time delay = kNever;
  /// Maximum number of flows that a part counts (fabric::Slice::flows).
  std::size_t flows = 4096;

  /// Longest time that a part simulates before it sends its frames to the other parts, and receives the
  /// frames of the previous window.
  Time window() const { return delay == kNever ? kNever : std::max<Time>(delay / 2, 1); }
  /// Process that runs a part. Each process runs consecutive parts, and the numbers of parts per process
  /// differ by at most one.
  std::uint32_t process_of(std::uint32_t part, std::uint32_t processes) const {
    return static_cast<std::uint32_t>(std::uint64_t{part} * processes / parts);
  }
};

}  // namespace softfeb::simulator
