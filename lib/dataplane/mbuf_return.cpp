// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/mbuf_return.hpp"

#include <rte_mbuf.h>
#include <rte_mempool.h>

namespace softfeb::dataplane {

void MbufReturn::empty(Bin& bin) {
  if (bin.count != 0) rte_mempool_put_bulk(bin.pool, reinterpret_cast<void**>(bin.items.data()), bin.count);
  bin.count = 0;
}

MbufReturn::Bin& MbufReturn::bin_of(rte_mempool* pool) {
  for (Bin& bin : bins_) {
    if (bin.pool == pool) return bin;
    if (bin.count != 0) continue;
    bin.pool = pool;
    return bin;
  }
  empty(bins_.back());
  bins_.back().pool = pool;
  return bins_.back();
}

void MbufReturn::add(rte_mbuf* packet) {
  std::size_t segment = 0;
  for (rte_mbuf* m = packet; m != nullptr;) {
    rte_mbuf* const next = m->next;
    // rte_pktmbuf_prefree_seg() returns null if another reference to the segment remains.
    if (rte_mbuf* const mine = rte_pktmbuf_prefree_seg(m); mine != nullptr) {
      // The packets of a burst are similar: segment n of each packet usually belongs to the same pool.
      Bin& first = bins_[segment];
      Bin& bin = first.pool == mine->pool ? first : bin_of(mine->pool);
      bin.items[bin.count++] = mine;
      if (bin.count == kRoom) empty(bin);
    }
    segment = (segment + 1) % kPools;
    m = next;
  }
}

void MbufReturn::flush() {
  for (Bin& bin : bins_) empty(bin);
}

}  // namespace softfeb::dataplane
