// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "environment.hpp"
#include "roce/opcode.hpp"

#include <cstdint>

namespace softfeb::bench {

enum class Activity : std::uint8_t {
  kRoundRobin,  ///< queue pairs take turns in the order in which they lie in memory
  kRandom,      ///< and in an order that is shuffled once
};

struct CraftOptions {
  std::uint32_t pmtu = 4096;
  bool known_crc = true;  ///< payload CRCs prepared beforehand; otherwise the iCRC is made over every byte
  roce::Transport transport = roce::Transport::kRc;
  std::uint32_t qps = 64;      ///< of each worker's board
  std::uint32_t packets = 16;  ///< of a message
  std::uint32_t message = 0;   ///< its bytes, instead of so many full packets; 0: those
  std::uint32_t send_queue = 16;
  Activity active = Activity::kRoundRobin;
  bool paced = true;  ///< the firmware's DCQCN, its rate above what a core can do
  /// Besides, a constant rate of its own for each queue pair, 16 to 1 from the greatest to the least, all
  /// together above what a core can do: each goes through the timing wheel after each packet.
  bool mixed_rates = false;
  bool port = true;    ///< net_null; false: the board alone, without mbufs
  bool alone = false;  ///< without the loops beside it, for a profiler
  unsigned workers = 1;
  unsigned runs = 7;
  Time duration = 200 * kMillisecond;  ///< of each run, for each of the loops compared
};

inline std::uint32_t message_bytes(const CraftOptions& o) {
  return o.message != 0 ? o.message : o.pmtu * o.packets;
}

/// Packets a second that one worker makes: a board on its PortQueue on net_null, as softfeb runs it (queue
/// pairs, windows, congestion control, pacing, counters), acknowledged by the benchmark. Beside it, by turns
/// in the same run, so that the machine's moods are the same for all: loops that make the same packets
/// without an engine (`bare`, as one writes it, and `bare_best`, with everything that is known to be faster),
/// and a board without a port (`engine_only`), and, where there are more queue pairs, a board with 64 of them
/// (`few_qps`). Each board has its `totals`: craft_failure(). `environment` is null without a port.
/// doc/performance.md.
Json bench_craft(const Environment* environment, const CraftOptions& options);

}  // namespace softfeb::bench
