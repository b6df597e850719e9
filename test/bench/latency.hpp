// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "environment.hpp"

#include <cstdint>
#include <vector>

namespace softfeb::bench {

struct LatencyOptions {
  std::vector<std::uint32_t> pmtus = {256, 512, 1024, 2048, 4096};
  std::vector<std::uint32_t> sizes = {1, 64, 1024, 4096, 65'536, 1'048'576};  ///< bytes of a message
  bool known_crc = true;
  unsigned runs = 3;
  Time duration = 50 * kMillisecond;  ///< of each run of each combination
};

/// From posting a message to its completion, RC, one message at a time, over a net_ring to a receiver on
/// another core that verifies and compares everything: for each path MTU and each size of message the
/// distribution in microseconds. Posting is the turn of the board's loop that posts it, completing the turn
/// that has taken its acknowledgement.
Json bench_latency(const Environment& environment, const LatencyOptions& options);

}  // namespace softfeb::bench
