// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "environment.hpp"

namespace softfeb::bench {

struct ReferenceOptions {
  std::uint32_t pmtu = 4096;  ///< of packets as long as ours in the middle of a message
  unsigned seconds = 3;       ///< of each
  bool scapy = true;
  std::vector<unsigned> cpus{};  ///< empty: those that this process may use
};

/// What others reach on this machine, each in a process of its own: dpdk-testpmd on net_null, `txonly` (the
/// same mbufs over and over, three segments) and `flowgen` (headers written for each packet, one segment),
/// and for scale scapy, which makes the same packet with its iCRC in Python. Throws EnvironmentError where a
/// program is not there.
Json bench_references(const ReferenceOptions& options);

}  // namespace softfeb::bench
