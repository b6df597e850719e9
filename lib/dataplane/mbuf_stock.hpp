// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

struct rte_mbuf;
struct rte_mempool;

namespace softfeb::dataplane {

/// The cache lines that the user of an mbuf will write. The other lines are not fetched; another core's
/// cache may hold them.
struct MbufLines {
  /// Number of cache lines of the mbuf itself: 1 for only the first one, or 2 if the second one, which
  /// contains `next`, is included.
  unsigned of_mbuf = 2;
  /// Offset in bytes from the mbuf to the cache line of its data buffer that will be written; 0 means no such
  /// line.
  std::uint32_t data_offset = 0;
};

/// A stock of mbufs from one pool, allocated in bulk and ahead of use. The cache lines of these mbufs, which
/// another core may have written last, are fetched while frames are crafted. Used by one worker. Must be
/// destroyed before its pool.
class MbufStock {
 public:
  static constexpr unsigned kRoom = 64;

  /// `pool` may be null; the stock is then always empty.
  MbufStock(rte_mempool* pool, const MbufLines& written) : pool_(pool), written_(written) {}
  ~MbufStock();
  MbufStock(const MbufStock&) = delete;
  MbufStock& operator=(const MbufStock&) = delete;

  unsigned size() const { return count_; }
  /// Fills the stock to at least `n` mbufs (at most kRoom). Returns false if the pool runs out; the stock
  /// then holds as many as the pool had.
  bool fill(unsigned n) { return count_ >= n || fetch(n); }
  /// Requires size() != 0. Returns a raw mbuf in DPDK's sense: refcnt, nb_segs, next and pool are valid,
  /// other fields are undefined.
  rte_mbuf* take() { return items_[--count_]; }

 private:
  bool fetch(unsigned n);

  rte_mempool* pool_;
  MbufLines written_;
  unsigned count_ = 0;
  std::array<rte_mbuf*, kRoom> items_;  ///< only the first count_ are valid
};

}  // namespace softfeb::dataplane
