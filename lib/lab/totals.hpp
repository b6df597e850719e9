// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stats/sample.hpp"

#include <cstddef>
#include <cstdint>

namespace softfeb::lab {

/// Counters of a whole run, summed over all boards, receivers and switches.
struct Totals {
  std::uint64_t packets = 0;  ///< request packets sent by boards, including retransmissions
  std::uint64_t retransmitted = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t messages_completed = 0;
  std::uint64_t messages_failed = 0;
  std::uint64_t cnp_tx = 0;       ///< CNPs sent by receivers
  std::uint64_t cnp_rx = 0;       ///< CNPs received by boards
  std::uint64_t bytes_wrong = 0;  ///< wrong payload bytes at receivers
  std::uint64_t dropped = 0;      ///< packets dropped by switches that were out of buffer space
  std::uint64_t lost = 0;         ///< packets lost in the network, for any reason
  std::uint64_t ecn_marked = 0;
  std::uint64_t pause_tx = 0;  ///< pause frames sent by switches
  std::uint64_t pause_rx = 0;  ///< pause frames that boards and receivers honoured
  std::uint64_t cnp_forged = 0;
  std::uint64_t unresolved_qps = 0;  ///< QPs for which the MAC address of the next hop is unknown
  Time resolution = 0;               ///< longest EndpointSnapshot::resolution_took of all boards
};

/// Sums the counters of a sample. The first `boards` endpoints of the sample are boards; the other endpoints
/// are receivers.
Totals totals_of(const stats::Sample& sample, std::size_t boards);

}  // namespace softfeb::lab
