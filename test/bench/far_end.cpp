// SPDX-License-Identifier: BSD-3-Clause
#include "far_end.hpp"

#include "dataplane/mbuf_lines.hpp"
#include "endpoints.hpp"
#include "roce/craft.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_launch.h>
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

namespace {
constexpr std::size_t kCnps = 100'000;
constexpr std::uint16_t kBurst = 32;
}  // namespace

FarEnd::FarEnd(const Environment& environment, std::uint16_t port, bool acknowledge,
               dataplane::Mempools& pools)
    : environment_(environment), port_(port), cnps_(environment.lcores(), pools), log_(kCnps) {
  if (acknowledge) acknowledger_.emplace(path_to_board(), environment.lcores(), pools);
}

int FarEnd::run(void* self) {
  auto& end = *static_cast<FarEnd*>(self);
  while (!end.stop_.load(std::memory_order_acquire)) {
    end.receive();
    if (end.cnps_.due(rte_rdtsc())) end.send_cnp();
  }
  return 0;
}

void FarEnd::receive() {
  std::array<rte_mbuf*, kBurst> burst;
  const std::uint16_t n = rte_eth_rx_burst(port_, 0, burst.data(), kBurst);
  if (n == 0) return;
  const dataplane::ReceiveAhead ahead(std::span<rte_mbuf* const>(burst.data(), n));
  for (std::uint16_t i = 0; i < n; ++i) {
    ahead.step(i);
    if (acknowledger_) acknowledger_->note(&burst[i], 1);
    rte_pktmbuf_free(burst[i]);
  }
  if (!acknowledger_) return;
  while (const std::uint16_t acks = acknowledger_->make(burst.data(), kBurst)) send(burst.data(), acks);
}

void FarEnd::send(rte_mbuf** frames, std::uint16_t n) {
  const std::uint16_t sent = rte_eth_tx_burst(port_, 0, frames, n);
  lost_ += n - sent;
  rte_pktmbuf_free_bulk(frames + sent, n - sent);
}

void FarEnd::send_cnp() {
  std::uint32_t qp = 0;
  rte_mbuf* cnp = cnps_.take(qp);
  if (cnp == nullptr) return;
  const Time at = environment_.clock().time(rte_rdtsc());
  const std::uint64_t lost = lost_;
  send(&cnp, 1);
  if (lost_ == lost) log_.add({at, 0, qp, 0, Event::Kind::kCnpArrived});
}

void FarEnd::launch() {
  stop_.store(false, std::memory_order_relaxed);
  rte_eal_remote_launch(&FarEnd::run, this, 1);
}

void FarEnd::join() {
  stop_.store(true, std::memory_order_release);
  rte_eal_wait_lcore(1);
}

}  // namespace softfeb::bench
