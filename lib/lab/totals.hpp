// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lab/sample.hpp"

#include <cstddef>
#include <cstdint>

namespace softfeb::lab {

/// Counters of a whole run, over all boards, receivers and switches.
struct Totals {
  std::uint64_t packets = 0;  ///< requests that boards sent, retransmissions included
  std::uint64_t retransmitted = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t messages_completed = 0;
  std::uint64_t messages_failed = 0;
  std::uint64_t cnp_tx = 0;       ///< of receivers
  std::uint64_t cnp_rx = 0;       ///< of boards
  std::uint64_t bytes_wrong = 0;  ///< at receivers
  std::uint64_t dropped = 0;      ///< by switches, for want of buffer
  std::uint64_t lost = 0;         ///< in the network, for whatever reason
  std::uint64_t ecn_marked = 0;
  std::uint64_t pause_tx = 0;  ///< pause frames of switches
  std::uint64_t pause_rx = 0;  ///< pause frames that boards and receivers obeyed
  std::uint64_t cnp_forged = 0;
  std::uint64_t unresolved_qps = 0;  ///< of boards: without their next hop's MAC address
  Time resolution = 0;               ///< of the slowest board: EndpointSnapshot::resolution_took
};

/// `boards`: how many of the sample's endpoints are.
Totals totals_of(const Sample& sample, std::size_t boards);

}  // namespace softfeb::lab
