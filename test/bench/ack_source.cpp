// SPDX-License-Identifier: BSD-3-Clause
#include "ack_source.hpp"

#include "addresses.hpp"

#include <algorithm>
#include <cstring>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

namespace softfeb::bench {

AckSource::AckSource(std::uint16_t port, std::uint16_t queue, const roce::Path& path, unsigned lcores,
                     dataplane::Mempools& pools)
    : port_(port),
      queue_(queue),
      writer_(path),
      pool_(pools.create("acknowledgements", dataplane::pool_size(512, lcores), 128)),
      owed_(kRoom) {
  // Buffers keep what is written to them: the frame is there already when one is taken again.
  rte_mempool_obj_iter(
      pool_,
      [](rte_mempool*, void* writer, void* object, unsigned) {
        auto* const m = static_cast<rte_mbuf*>(object);
        const auto& frame = static_cast<const AckWriter*>(writer)->frame();
        std::memcpy(static_cast<std::uint8_t*>(m->buf_addr) + RTE_PKTMBUF_HEADROOM, frame.data(),
                    frame.size());
      },
      &writer_);
  tx_ = rte_eth_add_tx_callback(
      port, queue,
      [](std::uint16_t, std::uint16_t, rte_mbuf** packets, std::uint16_t n, void* self) {
        static_cast<AckSource*>(self)->note(packets, n);
        return n;
      },
      this);
  rx_ = rte_eth_add_rx_callback(
      port, queue,
      [](std::uint16_t, std::uint16_t, rte_mbuf** packets, std::uint16_t n, std::uint16_t room, void* self) {
        return static_cast<AckSource*>(self)->give(packets, n, room);
      },
      this);
}

AckSource::~AckSource() {
  rte_eth_remove_tx_callback(port_, queue_, tx_);
  rte_eth_remove_rx_callback(port_, queue_, rx_);
}

void AckSource::note(rte_mbuf* const* packets, std::uint16_t n) {
  for (std::uint16_t i = 0; i < n; ++i) {
    const std::uint8_t* const bth = rte_pktmbuf_mtod(packets[i], const std::uint8_t*) + kBthOffset;
    const std::uint32_t psn = load_be32(bth + 8);
    // Written always, kept when it asks: no branch to be guessed.
    owed_[end_ % kRoom] = {load_be32(bth + 4) & roce::kPsnMask, psn & roce::kPsnMask};
    end_ += psn >> 31;
  }
}

std::uint16_t AckSource::give(rte_mbuf** packets, std::uint16_t n, std::uint16_t room) {
  const auto take = static_cast<std::uint16_t>(std::min<std::uint64_t>(end_ - first_, room - n));
  if (take == 0 || rte_pktmbuf_alloc_bulk(pool_, packets + n, take) != 0) return n;
  for (std::uint16_t i = 0; i < take; ++i) {
    rte_mbuf* const m = packets[n + i];
    const Owed& owed = owed_[first_++ % kRoom];
    writer_.patch(rte_pktmbuf_mtod(m, std::uint8_t*), owed.qpn, owed.psn);
    m->data_len = AckWriter::kSize;
    m->pkt_len = AckWriter::kSize;
  }
  return static_cast<std::uint16_t>(n + take);
}

}  // namespace softfeb::bench
