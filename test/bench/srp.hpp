// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

namespace softfeb::bench {

struct SrpOptions {
  unsigned accesses = 20'000;              ///< single reads per run
  std::uint64_t stream_bytes = 256 << 20;  ///< per run
  unsigned runs = 7;
  std::string board;  ///< IPv4 or IPv6 address of a running board; empty: the benchmark's own server
};

/// Slow control alone over UDP on loopback, with a server on its own thread and our client: time of a 4-byte
/// read (`read_us`), of 260 pipelined reads as PyRogue sends them at start (`pipelined_260_ms`), and the
/// payload rate of the stream (`stream_gbps`).
nlohmann::ordered_json bench_srp(const SrpOptions& options);

/// The same with a running board (`options.board`: softfeb, or a real one with a known profile): a read that
/// does not involve the data path (`read_us`: ScratchPad), one that does (`live_read_us`: Rc), a write that
/// does (`write_us`: Rai, unchanged), all readable registers one after the other, 260 pipelined reads, and
/// the stream of AppTx. Restores what it changes.
nlohmann::ordered_json bench_srp_board(const SrpOptions& options);

}  // namespace softfeb::bench
