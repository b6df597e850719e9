// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "environment.hpp"

namespace softfeb::bench {

struct ReferenceOptions {
  std::uint32_t pmtu = 4096;  ///< length of a packet in the middle of a message
  unsigned seconds = 3;       ///< per program
  bool scapy = true;
  std::vector<unsigned> cpus{};  ///< empty: those available to this process
};

/// Rates of other programs on this machine, each in its own process: dpdk-testpmd on net_null with `txonly`
/// (the same mbufs repeatedly, three segments) and `flowgen` (headers written per packet, one segment), and
/// scapy, which builds the same packet with its iCRC in Python. Throws EnvironmentError if a program is
/// missing.
Json bench_references(const ReferenceOptions& options);

}  // namespace softfeb::bench
