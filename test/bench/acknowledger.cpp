// SPDX-License-Identifier: BSD-3-Clause
#include "acknowledger.hpp"

#include "endpoints.hpp"
#include "roce/craft.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

namespace softfeb::bench {

AckWriter::AckWriter(const roce::Path& path) {
  const roce::HeaderTemplate headers(path);
  const auto icrc = [&](roce::Qpn qpn, roce::Psn psn) {
    std::array<std::uint8_t, 8> trailer;  // unused, but craft_acknowledge() writes it
    const roce::Crafted c = roce::craft_acknowledge(headers, {roce::Aeth::ack(), 0}, psn, qpn,
                                                    roce::kDefaultPkey, 0, frame_.data(), trailer.data());
    if (c.header_length + c.trailer_length != kSize)
      throw std::logic_error("acknowledgements are of IPv4 here");
    std::copy_n(trailer.begin(), roce::kIcrcSize, frame_.end() - roce::kIcrcSize);
    return load_le32(trailer.data());
  };
  base_ = icrc(0, 0);
  for (unsigned k = 0; k < 3; ++k) {
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      qpn_[k][byte] = icrc(byte << 8 * k, 0) ^ base_;
      psn_[k][byte] = icrc(0, byte << 8 * k) ^ base_;
    }
  }
  icrc(0, 0);
}

Acknowledger::Acknowledger(const roce::Path& path, unsigned lcores, dataplane::Mempools& pools)
    : writer_(path),
      pool_(pools.create("acknowledgements", dataplane::pool_size(512, lcores), 128)),
      owed_(kRoom) {
  // Mbufs keep their contents when they are freed, so the frame is copied to each mbuf only once.
  rte_mempool_obj_iter(
      pool_,
      [](rte_mempool*, void* writer, void* object, unsigned) {
        auto* const m = static_cast<rte_mbuf*>(object);
        const auto& frame = static_cast<const AckWriter*>(writer)->frame();
        std::memcpy(static_cast<std::uint8_t*>(m->buf_addr) + RTE_PKTMBUF_HEADROOM, frame.data(),
                    frame.size());
      },
      &writer_);
}

void Acknowledger::note(rte_mbuf* const* packets, std::uint16_t n) {
  for (std::uint16_t i = 0; i < n; ++i) {
    const std::uint8_t* const bth = rte_pktmbuf_mtod(packets[i], const std::uint8_t*) + kBthOffset;
    const std::uint32_t psn = load_be32(bth + 8);
    // Always store the entry but count it only if an acknowledgement was requested, to avoid a branch.
    owed_[end_ % kRoom] = {load_be32(bth + 4) & roce::kPsnMask, psn & roce::kPsnMask};
    end_ += psn >> 31;
  }
}

std::uint16_t Acknowledger::make(rte_mbuf** frames, std::uint16_t room) {
  const auto n = static_cast<std::uint16_t>(std::min<std::uint64_t>(end_ - first_, room));
  if (n == 0 || rte_pktmbuf_alloc_bulk(pool_, frames, n) != 0) return 0;
  for (std::uint16_t i = 0; i < n; ++i) {
    rte_mbuf* const m = frames[i];
    const Owed& owed = owed_[first_++ % kRoom];
    writer_.patch(rte_pktmbuf_mtod(m, std::uint8_t*), owed.qpn, owed.psn);
    m->data_len = AckWriter::kSize;
    m->pkt_len = AckWriter::kSize;
  }
  return n;
}

AckSource::AckSource(std::uint16_t port, std::uint16_t queue, const roce::Path& path, unsigned lcores,
                     dataplane::Mempools& pools)
    : port_(port), queue_(queue), acknowledger_(path, lcores, pools) {
  tx_ = rte_eth_add_tx_callback(
      port, queue,
      [](std::uint16_t, std::uint16_t, rte_mbuf** packets, std::uint16_t n, void* self) {
        static_cast<Acknowledger*>(self)->note(packets, n);
        return n;
      },
      &acknowledger_);
  rx_ = rte_eth_add_rx_callback(
      port, queue,
      [](std::uint16_t, std::uint16_t, rte_mbuf** packets, std::uint16_t n, std::uint16_t room, void* self) {
        const auto acks =
            static_cast<Acknowledger*>(self)->make(packets + n, static_cast<std::uint16_t>(room - n));
        return static_cast<std::uint16_t>(n + acks);
      },
      &acknowledger_);
}

AckSource::~AckSource() {
  rte_eth_remove_tx_callback(port_, queue_, tx_);
  rte_eth_remove_rx_callback(port_, queue_, rx_);
}

}  // namespace softfeb::bench
