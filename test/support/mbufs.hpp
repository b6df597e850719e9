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

/// Returns the bytes of the whole packet.
Bytes bytes_of(const rte_mbuf* packet);

/// Returns a packet with these bytes, in `parts` mbufs of about the same length; null if the pool is empty.
/// Does not allocate from the heap.
rte_mbuf* packet(rte_mempool* pool, ByteSpan bytes, std::size_t parts = 1);

/// Returns a packet that consists of `header`, `payload` and `trailer`, built as a port queue builds its
/// packets; null if the builder has no mbufs. `payload` must outlive the packet.
rte_mbuf* built(dataplane::TxBuilder& builder, ByteSpan header, ByteSpan payload, ByteSpan trailer);

/// Sends a packet. If the port does not accept it, frees the packet and returns false.
bool send(std::uint16_t port, rte_mbuf* packet);

/// Receives and frees all packets waiting in RX queue 0.
std::vector<Bytes> receive_all(std::uint16_t port);

}  // namespace softfeb::test
