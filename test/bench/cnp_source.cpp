// SPDX-License-Identifier: BSD-3-Clause
#include "cnp_source.hpp"

#include "addresses.hpp"
#include "roce/craft.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <rte_mbuf.h>

namespace softfeb::bench {

CnpSource::CnpSource(unsigned lcores, dataplane::Mempools& pools)
    : pool_(pools.create("CNPs", dataplane::pool_size(256, lcores), 128)) {}

void CnpSource::begin(std::vector<CnpOrder> orders, Time began, const dataplane::TscClock& clock) {
  orders_ = std::move(orders);
  clock_ = &clock;
  began_ = began;
  next_ = 0;
  await();
}

void CnpSource::await() {
  next_tsc_ = next_ == orders_.size() ? UINT64_MAX : clock_->tsc(began_ + orders_[next_].after);
}

rte_mbuf* CnpSource::take(std::uint32_t& qp) {
  qp = orders_[next_++].qp;
  await();
  rte_mbuf* const m = rte_pktmbuf_alloc(pool_);
  if (m == nullptr) return nullptr;
  std::array<std::uint8_t, 8> trailer{};
  auto* const bytes = rte_pktmbuf_mtod(m, std::uint8_t*);
  const roce::Crafted c = roce::craft_cnp(roce::HeaderTemplate(path_to_board()), kFirstQpn + qp,
                                          roce::kDefaultPkey, 0, bytes, trailer.data());
  std::copy_n(trailer.begin(), c.trailer_length, bytes + c.header_length);
  m->data_len = static_cast<std::uint16_t>(c.header_length + c.trailer_length);
  m->pkt_len = m->data_len;
  return m;
}

}  // namespace softfeb::bench
