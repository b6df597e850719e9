// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bare_packets.hpp"
#include "dataplane/arena.hpp"
#include "dataplane/mempools.hpp"
#include "dataplane/port.hpp"

#include <array>
#include <cstdint>

struct rte_mbuf;
struct rte_mempool;

namespace softfeb::bench {

/// Sends the same packets as a board with a minimal loop: no queue pairs, windows, acknowledgements,
/// congestion control or counters, bursts of 32 to net_null. It is the reference for the engine. There are
/// two variants:
///
/// * plain: DPDK's documented functions, payload attached as an external buffer, and lib/roce's functions for
///   the iCRC;
/// * best: faster techniques: references that stay attached (Mempools::create_references()), mbuf fields
///   written in one store, the headers' CRC from tables.
///
///   Like TxBuilder, it copies payloads up to 256 bytes into one mbuf; other packets have three.
class BareLoop {
 public:
  enum class Kind : std::uint8_t { kPlain, kBest };

  /// All arguments except `options` must outlive this object; `payload` is filled. Uses `queue` of `port`
  /// exclusively.
  BareLoop(Kind kind, const CraftOptions& options, const board::PayloadSource& payload,
           const dataplane::Port& port, std::uint16_t queue, const dataplane::Arena& arena,
           dataplane::Mempools& pools);

  /// Sends a burst; returns the number of packets that the port accepted (net_null: all).
  unsigned turn();

 private:
  static constexpr unsigned kBurst = 32;
  using Mbufs = std::array<rte_mbuf*, kBurst>;

  bool take();
  void chain(rte_mbuf* head, rte_mbuf* payload, rte_mbuf* trailer);
  void chain_best(rte_mbuf* head, rte_mbuf* payload, rte_mbuf* trailer);
  void copy(rte_mbuf* head);

  Kind kind_;
  BarePackets packets_;
  const dataplane::Arena& arena_;
  bool chains_;
  std::uint16_t port_;
  std::uint16_t queue_;
  rte_mempool* heads_;
  rte_mempool* externals_;
  rte_mempool* trailers_;
  Mbufs head_{}, external_{}, trailer_{};
};

}  // namespace softfeb::bench
