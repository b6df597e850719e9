// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

struct rte_mbuf;
struct rte_mempool;

namespace softfeb::dataplane {

/// Mbufs of one pool, taken many at a time and before they are used, so that their cache lines, which another
/// core may have freed, come while frames are crafted. For one worker; goes before its pool does.
class MbufStock {
 public:
  static constexpr unsigned kRoom = 64;

  /// `pool` may be null: always empty. `data_offset`: of what is written into an mbuf's buffer, from the
  /// mbuf; 0 when nothing is.
  MbufStock(rte_mempool* pool, std::uint32_t data_offset) : pool_(pool), data_offset_(data_offset) {}
  ~MbufStock();
  MbufStock(const MbufStock&) = delete;
  MbufStock& operator=(const MbufStock&) = delete;

  unsigned size() const { return count_; }
  /// Holds `n` (kRoom at most) or more when it returns true; as many as the pool has otherwise.
  bool fill(unsigned n) { return count_ >= n || fetch(n); }
  /// Requires size() != 0. As DPDK calls it, raw: refcnt, nb_segs, next and pool are right, the rest is as it
  /// was left.
  rte_mbuf* take() { return items_[--count_]; }

 private:
  bool fetch(unsigned n);

  rte_mempool* pool_;
  std::uint32_t data_offset_;
  unsigned count_ = 0;
  std::array<rte_mbuf*, kRoom> items_;  ///< the first count_ mean something
};

}  // namespace softfeb::dataplane
