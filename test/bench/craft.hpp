// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "environment.hpp"
#include "roce/opcode.hpp"

#include <cstdint>

namespace softfeb::bench {

enum class Activity : std::uint8_t {
  kRoundRobin,  ///< queue pairs are served in the order of their memory
  kRandom,      ///< in an order that is shuffled once
};

struct CraftOptions {
  std::uint32_t pmtu = 4096;
  bool known_crc = true;  ///< payload CRCs are known; otherwise the iCRC is computed over every byte
  roce::Transport transport = roce::Transport::kRc;
  std::uint32_t qps = 64;      ///< per worker's board
  std::uint32_t packets = 16;  ///< per message
  std::uint32_t message = 0;   ///< bytes per message instead of full packets; 0: unused
  std::uint32_t send_queue = 16;
  Activity active = Activity::kRoundRobin;
  bool paced = true;  ///< with the firmware's DCQCN, at a rate above what a core achieves
  /// Additionally a constant rate per queue pair, 16 to 1 from the highest to the lowest, in total above what
  /// a core achieves: each enters the timing wheel after every packet.
  bool mixed_rates = false;
  bool port = true;    ///< net_null; false: only the board, without mbufs
  bool alone = false;  ///< without the reference loops, for a profiler
  unsigned workers = 1;
  unsigned runs = 7;
  Time duration = 200 * kMillisecond;  ///< of each run, for each loop
};

inline std::uint32_t message_bytes(const CraftOptions& o) {
  return o.message != 0 ? o.message : o.pmtu * o.packets;
}

/// Packets per second of one worker: a board on its PortQueue on net_null, as in softfeb run (queue pairs,
/// windows, congestion control, pacing, counters), acknowledged by the benchmark. The same runs alternately
/// measure loops that build the same packets without an engine (`bare` and the optimized `bare_best`), a
/// board without a port (`engine_only`) and, if there are more queue pairs, a board with 64 of them
/// (`few_qps`). Each board has its `totals`; see craft_failure(). `environment` is null without a port. See
/// doc/performance.md.
Json bench_craft(const Environment* environment, const CraftOptions& options);

}  // namespace softfeb::bench
