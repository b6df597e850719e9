// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct rte_mempool;

namespace softfeb::dataplane {

class Arena;

/// Objects each lcore may keep aside of a pool. A pool smaller than all of that could look empty while
/// nothing is in use.
inline constexpr std::uint32_t kMempoolCache = 128;

/// Objects a pool needs so that `in_use` can be out at one time with `lcores` caches full (a cache holds up
/// to 1.5 times its size).
constexpr std::uint32_t pool_size(std::uint32_t in_use, unsigned lcores) {
  return in_use + lcores * (kMempoolCache + kMempoolCache / 2);
}

/// Owns all mbuf pools. Made after Eal and before every device: packets of one port's pool may lie in another
/// port's rings, so no pool goes before the last device is gone.
class Mempools {
 public:
  Mempools() = default;
  ~Mempools();
  Mempools(const Mempools&) = delete;
  Mempools& operator=(const Mempools&) = delete;

  /// `count` mbufs with `data_room` bytes after DPDK's headroom (0: no buffer at all, for external ones) and
  /// `private_size` bytes of private area. Throws EnvironmentError with what it would take.
  rte_mempool* create(const std::string& purpose, std::uint32_t count, std::uint32_t data_room,
                      std::uint16_t private_size = 0, int socket = -1);

  /// `count` mbufs without buffers, each attached for good to `arena` ("pinned"): whoever takes one says
  /// which part of it is meant, and freeing one leaves all of that as it is. The arena outlives the pool.
  rte_mempool* create_references(const std::string& purpose, std::uint32_t count, const Arena& arena,
                                 int socket = -1);

 private:
  std::string next_name() const { return "sfpool" + std::to_string(pools_.size()); }
  rte_mempool* keep(rte_mempool* pool, const std::string& purpose, std::uint32_t count, std::uint64_t each);

  std::vector<rte_mempool*> pools_;
};

}  // namespace softfeb::dataplane
