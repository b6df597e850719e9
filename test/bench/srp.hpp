// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

namespace softfeb::bench {

struct SrpOptions {
  unsigned accesses = 20'000;              ///< single reads of each run
  std::uint64_t stream_bytes = 256 << 20;  ///< of each run
  unsigned runs = 7;
  std::string board;  ///< IPv4 or IPv6 address of a board that runs; empty: a server of the benchmark's own
};

/// The slow control alone, a server on a thread of its own and our client, over UDP on loopback: how long a
/// read of 4 bytes takes (`read_us`), 260 pipelined ones, which is what PyRogue sends at start
/// (`pipelined_260_ms`), and how much stream arrives (`stream_gbps`, payload).
nlohmann::ordered_json bench_srp(const SrpOptions& options);

/// The same of a board that runs (`options.board`; softfeb, or a real one of a profile that softfeb has),
/// with its own registers: a read that does not touch the data path (`read_us`: ScratchPad), one that does
/// (`live_read_us`: Rc), a write that does (`write_us`: Rai, as it was), the map's readable registers one
/// after the other, 260 pipelined, and the stream of AppTx. What it changes it puts back.
nlohmann::ordered_json bench_srp_board(const SrpOptions& options);

}  // namespace softfeb::bench
