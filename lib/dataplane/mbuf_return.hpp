// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>

struct rte_mbuf;
struct rte_mempool;

namespace softfeb::dataplane {

/// Packets on their way back to their pools, which takes a call for many of a pool instead of one for each.
/// DPDK's own bulk free sees a chain's segments one after the other, each of another pool, and gains nothing.
/// For one worker; empty whenever nobody is at it: whoever adds flushes.
class MbufReturn {
 public:
  /// All segments of a packet that nobody looks at any more.
  void add(rte_mbuf* packet);
  void flush();

 private:
  static constexpr std::size_t kPools = 4;  ///< of one burst: headers, payload references, trailers, one more
  static constexpr unsigned kRoom = 64;

  struct Bin {
    rte_mempool* pool = nullptr;
    unsigned count = 0;
    std::array<rte_mbuf*, kRoom> items;  ///< the first `count` mean something
  };

  Bin& bin_of(rte_mempool* pool);
  static void empty(Bin& bin);

  std::array<Bin, kPools> bins_{};
};

}  // namespace softfeb::dataplane
