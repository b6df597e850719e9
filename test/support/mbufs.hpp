// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/tx_builder.hpp"
#include "frames.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

struct rte_mbuf;
struct rte_mempool;

namespace softfeb::test {

/// The whole packet.
Bytes bytes_of(const rte_mbuf* packet);

/// A packet with these bytes, in `parts` mbufs of about the same length. Null if the pool is empty. Does not
/// allocate from the heap.
rte_mbuf* packet(rte_mempool* pool, ByteSpan bytes, std::size_t parts = 1);

/// A packet as a port queue builds it. `payload` must outlive it. Null if the builder has no mbufs.
rte_mbuf* built(dataplane::TxBuilder& builder, ByteSpan header, ByteSpan payload, ByteSpan trailer);

/// False if the port does not take the packet, which then is freed.
bool send(std::uint16_t port, rte_mbuf* packet);

/// Receives and frees all packets that wait in RX queue 0.
std::vector<Bytes> receive_all(std::uint16_t port);

}  // namespace softfeb::test
