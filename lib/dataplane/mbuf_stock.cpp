// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/mbuf_stock.hpp"

#include "base/claim.hpp"

#include <algorithm>

#include <rte_mbuf.h>
#include <rte_mempool.h>

namespace softfeb::dataplane {

MbufStock::~MbufStock() {
  if (count_ != 0) rte_mempool_put_bulk(pool_, reinterpret_cast<void**>(items_.data()), count_);
}

bool MbufStock::fetch(unsigned n) {
  if (pool_ == nullptr) return false;
  n = std::min(n, kRoom);
  const unsigned before = count_;
  // rte_mempool_get_bulk() provides all or none, so halve the request when the pool runs low.
  for (unsigned want = n - before; want != 0 && count_ < n; want = std::min(want, n - count_)) {
    if (rte_mempool_get_bulk(pool_, reinterpret_cast<void**>(&items_[count_]), want) == 0) {
      count_ += want;
    } else {
      want /= 2;
    }
  }
  for (unsigned i = before; i < count_; ++i) {
    claim_lines(items_[i], written_.of_mbuf);
    if (written_.data_offset != 0)
      claim_line(reinterpret_cast<const std::uint8_t*>(items_[i]) + written_.data_offset);
  }
  return count_ >= n;
}

}  // namespace softfeb::dataplane
