// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <nlohmann/json.hpp>

namespace softfeb::bench {

struct SrpOptions {
  unsigned accesses = 20'000;              ///< single reads of each run
  std::uint64_t stream_bytes = 256 << 20;  ///< of each run
  unsigned runs = 7;
};

/// The slow control alone, a server on a thread of its own and our client, over UDP on loopback: how long a
/// read of 4 bytes takes (`read_us`), 260 pipelined ones, which is what PyRogue sends at start
/// (`pipelined_260_ms`), and how much stream arrives (`stream_gbps`, payload).
nlohmann::ordered_json bench_srp(const SrpOptions& options);

}  // namespace softfeb::bench
