// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/payload.hpp"
#include "craft.hpp"
#include "dataplane/arena.hpp"
#include "dataplane/mempools.hpp"
#include "dataplane/port.hpp"

#include <array>
#include <cstdint>
#include <vector>

struct rte_mbuf;
struct rte_mempool;

namespace softfeb::bench {

/// The same packets as a board's, made by a loop that knows nothing else: one queue pair, headers from a
/// template, the PSN counted up, payload attached without copying (copied where it is no longer than 256
/// bytes, as TxBuilder does), bursts of 32 to net_null. No windows, acknowledgements, congestion control,
/// counters. It is the peer that the engine is measured against, so nothing in it is done that could be done
/// beforehand.
class BareLoop {
 public:
  /// All but `options` outlive it; `payload` is filled. Queue `queue` of `port` is its own.
  BareLoop(const CraftOptions& options, const board::PayloadSource& payload, const dataplane::Port& port,
           std::uint16_t queue, const dataplane::Arena& arena, dataplane::Mempools& pools);

  /// A burst; returns how many packets the port took (all, net_null).
  unsigned turn();

 private:
  static constexpr unsigned kBurst = 32;
  static constexpr std::size_t kRoom = 96;  ///< Ethernet to RETH, and what a copy of fixed length may touch

  /// A packet at its place in a message, all but what is counted up.
  struct Place {
    std::array<std::uint8_t, kRoom> header{};
    std::array<std::uint8_t, kRoom> masked{};  ///< IP to RETH as the iCRC sees them
    std::uint32_t checksum = 0;                ///< sum of the IPv4 header without the identification
    std::uint32_t seed = 0;                    ///< CRC up to the identification
    std::uint32_t psn_flags = 0;               ///< AckReq
    std::uint16_t header_length = 0;
  };

  void make_place(const CraftOptions& options, std::uint32_t index);
  /// A message's packets are what they should be; throws std::logic_error.
  void check();
  void write(std::uint8_t* header, std::uint8_t* trailer);
  std::uint32_t icrc(Place& place);
  bool make_chains();
  bool make_copies();

  std::vector<Place> places_;
  const dataplane::Arena& arena_;
  const std::uint8_t* payload_;
  std::uint32_t length_;
  std::uint32_t payload_crc_ = 0;
  std::uint32_t shift_ = 0;
  bool known_crc_;
  bool chains_;
  std::uint16_t port_;
  std::uint16_t queue_;
  rte_mempool* heads_;
  rte_mempool* externals_;
  rte_mempool* trailers_;
  std::uint32_t place_ = 0;
  std::uint32_t psn_ = 0;
  std::uint16_t identification_ = 0;
  std::array<rte_mbuf*, kBurst> head_{};
  std::array<rte_mbuf*, kBurst> external_{};
  std::array<rte_mbuf*, kBurst> trailer_{};
};

}  // namespace softfeb::bench
