// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct rte_mempool;

namespace softfeb::dataplane {

class Arena;

/// Size of the per-lcore cache of a pool, as a number of objects. A pool smaller than all caches together can
/// look empty while no object is in use.
inline constexpr std::uint32_t kMempoolCache = 128;

/// Number of objects that a pool needs so that `in_use` of them can be in use while the caches of `lcores`
/// lcores are full. A cache holds up to 1.5 times its size.
constexpr std::uint32_t pool_size(std::uint32_t in_use, unsigned lcores) {
  return in_use + lcores * (kMempoolCache + kMempoolCache / 2);
}

/// Owns all mbuf pools. Create it after Eal and before every device. Mbufs from one port's pool may be in
/// another port's rings, so the pools must outlive all devices.
class Mempools {
 public:
  Mempools() = default;
  ~Mempools();
  Mempools(const Mempools&) = delete;
  Mempools& operator=(const Mempools&) = delete;

  /// Creates `count` mbufs with `data_room` bytes after DPDK's headroom and `private_size` bytes of private
  /// area. If `data_room` is 0, the mbufs have no buffers of their own, for use with external buffers. Throws
  /// RequestError if a buffer with its headroom would exceed 65,535 bytes. Throws EnvironmentError, which
  /// states the memory needed, if there is not enough memory.
  rte_mempool* create(const std::string& purpose, std::uint32_t count, std::uint32_t data_room,
                      std::uint16_t private_size = 0, int socket = -1);

  /// Creates `count` mbufs without buffers, permanently attached to `arena` (pinned external buffers). The
  /// user of an mbuf sets the part of the arena to which the mbuf refers; freeing the mbuf keeps the
  /// attachment. `arena` must outlive the pool.
  rte_mempool* create_references(const std::string& purpose, std::uint32_t count, const Arena& arena,
                                 int socket = -1);

 private:
  std::string next_name() const { return "sfpool" + std::to_string(pools_.size()); }
  rte_mempool* keep(rte_mempool* pool, const std::string& purpose, std::uint32_t count, std::uint64_t each);

  std::vector<rte_mempool*> pools_;
};

}  // namespace softfeb::dataplane
