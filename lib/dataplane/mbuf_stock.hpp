// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

struct rte_mbuf;
struct rte_mempool;

namespace softfeb::dataplane {

/// Which cache lines of an mbuf whoever takes it is going to write: the others stay where they are, which may
/// be in another core's cache as well.
struct MbufLines {
  unsigned of_mbuf = 2;           ///< 1: the second one, `next` with it, stays as the pool has it
  std::uint32_t data_offset = 0;  ///< from the mbuf to the line of its buffer; 0: none
};

/// Mbufs of one pool, taken many at a time and before they are used, so that their cache lines, which another
/// core may have freed, come while frames are crafted. For one worker; goes before its pool does.
class MbufStock {
 public:
  static constexpr unsigned kRoom = 64;

  /// `pool` may be null: always empty.
  MbufStock(rte_mempool* pool, const MbufLines& written) : pool_(pool), written_(written) {}
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
  MbufLines written_;
  unsigned count_ = 0;
  std::array<rte_mbuf*, kRoom> items_;  ///< the first count_ mean something
};

}  // namespace softfeb::dataplane
