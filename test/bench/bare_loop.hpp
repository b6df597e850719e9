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

/// The same packets as a board's, made by a loop that knows nothing else: no queue pairs, windows,
/// acknowledgements, congestion control, counters; bursts of 32 to net_null. It is what the engine is
/// measured against, in two kinds:
///
/// * plain: as one writes it with DPDK's documented functions, payload attached as an external buffer, and
///   lib/roce's for the iCRC;
/// * best: with what is known to be faster, references that stay attached (Mempools::create_references()),
///   an mbuf's fields in one store, the headers' CRC from tables.
///
/// Payloads of 256 bytes and less are copied, as TxBuilder does, into one mbuf; other packets are of three.
class BareLoop {
 public:
  enum class Kind : std::uint8_t { kPlain, kBest };

  /// All but `options` outlive it; `payload` is filled. Queue `queue` of `port` is its own.
  BareLoop(Kind kind, const CraftOptions& options, const board::PayloadSource& payload,
           const dataplane::Port& port, std::uint16_t queue, const dataplane::Arena& arena,
           dataplane::Mempools& pools);

  /// A burst; returns how many packets the port took (all, net_null).
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
