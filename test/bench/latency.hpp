// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "environment.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace softfeb::bench {

struct LatencyOptions {
  std::vector<std::uint32_t> pmtus = {256, 512, 1024, 2048, 4096};
  std::vector<std::uint32_t> sizes = {1, 64, 1024, 4096, 65'536, 1'048'576};  ///< bytes per message
  bool known_crc = true;
  unsigned runs = 3;
  Time duration = 50 * kMillisecond;  ///< per run and combination
};

/// A host with Soft-RoCE or a NIC that runs rdma-sink (doc/rdma-sink.md), used instead of the ring.
struct GuestOptions {
  std::string sink;                ///< sink://HOST:PORT
  std::string device;              ///< the port that leads there, as in a configuration
  std::string ip = "10.77.0.100";  ///< ours; the guest knows its MAC address, or asks
  std::string mac = "02:00:00:00:00:01";
};

/// Time from posting a message to its completion: RC, one message at a time, over a net_ring to a receiver on
/// another core that verifies and compares everything. For each path MTU and message size, the distribution
/// in microseconds. Both ends are times of loop iterations: the one that posts, and the one that receives the
/// acknowledgement.
Json bench_latency(const Environment& environment, const LatencyOptions& options);

/// The same to a queue pair on that host. Throws peers::PeerError if it is not reachable.
Json bench_guest_latency(const Environment& environment, const LatencyOptions& options,
                         const GuestOptions& guest);

}  // namespace softfeb::bench
