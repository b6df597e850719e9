// SPDX-License-Identifier: BSD-3-Clause
#include "mbufs.hpp"

#include <algorithm>
#include <array>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

namespace softfeb::test {

Bytes bytes_of(const rte_mbuf* packet) {
  Bytes out;
  for (const rte_mbuf* m = packet; m != nullptr; m = m->next) {
    const auto* p = rte_pktmbuf_mtod(m, const std::uint8_t*);
    out.insert(out.end(), p, p + m->data_len);
  }
  return out;
}

rte_mbuf* packet(rte_mempool* pool, ByteSpan bytes, std::size_t parts) {
  rte_mbuf* first = nullptr;
  for (std::size_t p = 0; p < parts; ++p) {
    rte_mbuf* const m = rte_pktmbuf_alloc(pool);
    if (m == nullptr) {
      rte_pktmbuf_free(first);
      return nullptr;
    }
    const std::size_t begin = bytes.size() * p / parts;
    const std::size_t end = bytes.size() * (p + 1) / parts;
    std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(begin),
              bytes.begin() + static_cast<std::ptrdiff_t>(end), rte_pktmbuf_mtod(m, std::uint8_t*));
    m->data_len = static_cast<std::uint16_t>(end - begin);
    m->pkt_len = m->data_len;
    if (first == nullptr)
      first = m;
    else
      rte_pktmbuf_chain(first, m);
  }
  return first;
}

rte_mbuf* built(dataplane::TxBuilder& builder, ByteSpan header, ByteSpan payload, ByteSpan trailer) {
  std::array<engine::TxFrame, 1> frame;
  std::array<rte_mbuf*, 1> packet{};
  if (builder.acquire(frame, packet) != 1) return nullptr;
  std::copy(header.begin(), header.end(), frame[0].header);
  frame[0].header_length = static_cast<std::uint16_t>(header.size());
  frame[0].payload = payload.data();
  frame[0].payload_length = static_cast<std::uint32_t>(payload.size());
  std::copy(trailer.begin(), trailer.end(), frame[0].trailer.begin());
  frame[0].trailer_length = static_cast<std::uint8_t>(trailer.size());
  if (builder.build(frame, packet) == 1) return packet[0];
  dataplane::TxBuilder::release(packet);
  return nullptr;
}

bool send(std::uint16_t port, rte_mbuf* packet) {
  if (rte_eth_tx_burst(port, 0, &packet, 1) == 1) return true;
  rte_pktmbuf_free(packet);
  return false;
}

std::vector<Bytes> receive_all(std::uint16_t port) {
  std::vector<Bytes> out;
  for (rte_mbuf* m = nullptr; rte_eth_rx_burst(port, 0, &m, 1) == 1;) {
    out.push_back(bytes_of(m));
    rte_pktmbuf_free(m);
  }
  return out;
}

}  // namespace softfeb::test
