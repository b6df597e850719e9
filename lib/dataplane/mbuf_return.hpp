// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>

struct rte_mbuf;
struct rte_mempool;

namespace softfeb::dataplane {

/// Frees packets in bulk, with one mempool call for many mbufs. DPDK's rte_pktmbuf_free_bulk() gains nothing
/// on chains whose segments belong to different pools. Used by one worker. Call flush() after the last add():
/// no mbuf may remain here between bursts.
class MbufReturn {
 public:
  /// Adds all segments of a packet that is no longer in use.
  void add(rte_mbuf* packet);
  void flush();

 private:
  /// Number of pools handled at once: headers, payload references, trailers, and one for any other pool.
  static constexpr std::size_t kPools = 4;
  static constexpr unsigned kRoom = 64;

  struct Bin {
    rte_mempool* pool = nullptr;
    unsigned count = 0;
    std::array<rte_mbuf*, kRoom> items;  ///< only the first `count` are valid
  };

  Bin& bin_of(rte_mempool* pool);
  static void empty(Bin& bin);

  std::array<Bin, kPools> bins_{};
};

}  // namespace softfeb::dataplane
