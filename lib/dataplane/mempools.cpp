// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/mempools.hpp"

#include "dataplane/arena.hpp"
#include "dataplane/error.hpp"
#include "dataplane/log_collector.hpp"

#include <rte_errno.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

namespace softfeb::dataplane {

Mempools::~Mempools() {
  for (rte_mempool* pool : pools_) rte_mempool_free(pool);
}

rte_mempool* Mempools::create(const std::string& purpose, std::uint32_t count, std::uint32_t data_room,
                              std::uint16_t private_size, int socket) {
  const std::uint32_t room = data_room == 0 ? 0 : data_room + RTE_PKTMBUF_HEADROOM;
  if (room > UINT16_MAX) {
    throw RequestError(purpose + ": " + std::to_string(data_room) +
                       " bytes do not fit into one mbuf (at most " +
                       std::to_string(UINT16_MAX - RTE_PKTMBUF_HEADROOM) + ')');
  }
  LogCollector log;
  return keep(rte_pktmbuf_pool_create(next_name().c_str(), count, kMempoolCache, private_size,
                                      static_cast<std::uint16_t>(room), socket < 0 ? SOCKET_ID_ANY : socket),
              purpose, count, room + private_size);
}

rte_mempool* Mempools::create_references(const std::string& purpose, std::uint32_t count, const Arena& arena,
                                         int socket) {
  // rte_pktmbuf_pool_create_extbuf() assigns each mbuf its own element of the memory. An element here is one
  // byte. If there are more mbufs than bytes, list the memory several times.
  const rte_pktmbuf_extmem memory{const_cast<std::uint8_t*>(arena.data()), arena.iova(arena.data()),
                                  arena.size(), 1};
  const std::vector<rte_pktmbuf_extmem> rounds(count / arena.size() + 1, memory);
  LogCollector log;
  return keep(rte_pktmbuf_pool_create_extbuf(next_name().c_str(), count, kMempoolCache, 0, 0,
                                             socket < 0 ? SOCKET_ID_ANY : socket, rounds.data(),
                                             static_cast<unsigned>(rounds.size())),
              purpose, count, sizeof(rte_mbuf_ext_shared_info));
}

rte_mempool* Mempools::keep(rte_mempool* pool, const std::string& purpose, std::uint32_t count,
                            std::uint64_t each) {
  if (pool == nullptr) {
    const std::uint64_t bytes = count * (sizeof(rte_mbuf) + RTE_MBUF_PRIV_ALIGN + each);
    throw EnvironmentError("not enough memory for " + purpose + " (" + std::to_string(count) +
                               " buffers, about " + std::to_string(bytes / (1U << 20) + 1) +
                               " MiB): " + rte_strerror(rte_errno),
                           "increase eal.memory or use fewer descriptors");
  }
  pools_.push_back(pool);
  return pool;
}

}  // namespace softfeb::dataplane
