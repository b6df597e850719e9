// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "benchmarks.hpp"
#include "board/payload.hpp"
#include "dataplane/arena.hpp"
#include "dataplane/mempools.hpp"
#include "dataplane/port.hpp"
#include "roce/psn.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

struct rte_mbuf;
struct rte_mempool;

namespace softfeb::bench {

/// Writes the headers and the iCRC, but not the payload, of the packets of one queue pair that sends messages
/// continuously. The headers come from a template. PSN and IPv4 identification increase from packet to
/// packet, and the iCRC is computed. All other fields depend only on the position of the packet in its
/// message, so they are prepared once for each position.
class BarePackets {
 public:
  /// Number of bytes that are written for each header, regardless of the header's length.
  static constexpr std::size_t kRoom = 96;

  /// `payload` must already be filled, and must outlive this object. Throws std::logic_error if a packet is
  /// wrong.
  BarePackets(const CraftOptions& options, const board::PayloadSource& payload);

  /// Properties of the packet that write() builds next.
  std::uint16_t header_length() const { return places_[place_].header_length; }
  const std::uint8_t* payload() const { return payload_; }
  std::uint32_t payload_length() const { return length_; }

  /// Writes header and iCRC with the functions of lib/roce. The CRC of the headers is computed over a masked
  /// copy. If the payload's CRC is known, the two CRCs are combined; otherwise, the computation continues
  /// over the payload.
  void write(std::uint8_t* header, std::uint8_t* trailer) {
    write_header(header);
    store_le32(trailer, icrc(places_[place_]));
    advance();
  }

  /// Writes the same packet as write(), but at minimal cost: the CRC of the varying header bytes is looked up
  /// in tables.
  void write_by_tables(std::uint8_t* header, std::uint8_t* trailer) {
    write_header(header);
    store_le32(trailer, icrc_by_tables(places_[place_]));
    advance();
  }

 private:
  using Table = std::array<std::uint32_t, 256>;

  /// The packet at one position of a message, without the fields that vary.
  struct Place {
    std::array<std::uint8_t, kRoom> header{};
    /// The headers from IP to RETH with masked fields, as covered by the iCRC.
    std::array<std::uint8_t, kRoom> masked{};
    std::array<Table, 3> psn{};  ///< contribution of each PSN byte to the CRC, least significant first
    std::array<Table, 2> identification{};
    std::uint32_t checksum = 0;   ///< sum of the IPv4 header without the identification
    std::uint32_t seed = 0;       ///< CRC of the bytes before the identification
    std::uint32_t base = 0;       ///< CRC of the headers with zeros in the varying bytes
    std::uint32_t psn_flags = 0;  ///< the AckReq bit in the word of the PSN
    std::uint16_t header_length = 0;
  };

  static constexpr std::size_t kIp = 14;
  static constexpr std::size_t kIdentification = 4;  ///< offset in the IPv4 header
  static constexpr std::size_t kPsnField = 20 + 8 + 8;

  void make_place(const CraftOptions& options, std::uint32_t index);
  void make_tables(Place& place);
  void check();
  std::uint32_t header_crc(Place& place, std::uint32_t psn, std::uint16_t identification) const;
  std::uint32_t icrc(Place& place) const;
  std::uint32_t finish(std::uint32_t header_crc) const;

  void write_header(std::uint8_t* header) const {
    const Place& place = places_[place_];
    std::memcpy(header, place.header.data(), kRoom);
    std::uint8_t* const ip = header + kIp;
    store_be16(ip + kIdentification, identification_);
    const std::uint32_t sum = place.checksum + identification_;
    store_be16(ip + 10, static_cast<std::uint16_t>(~((sum & 0xffff) + (sum >> 16))));
    store_be32(ip + kPsnField, place.psn_flags | (psn_ & roce::kPsnMask));
  }
  std::uint32_t icrc_by_tables(const Place& place) const {
    const std::uint32_t crc = place.base ^ place.psn[0][psn_ & 0xff] ^ place.psn[1][psn_ >> 8 & 0xff] ^
                              place.psn[2][psn_ >> 16 & 0xff] ^
                              place.identification[0][identification_ & 0xff] ^
                              place.identification[1][identification_ >> 8];
    return known_crc_ ? crc : finish(crc);
  }
  void advance() {
    ++psn_;
    ++identification_;
    if (++place_ == places_.size()) place_ = 0;
  }

  std::vector<Place> places_;
  const std::uint8_t* payload_;
  std::uint32_t length_;
  std::uint32_t payload_crc_;
  std::uint32_t shift_;
  bool known_crc_;
  std::uint32_t place_ = 0;
  std::uint32_t psn_ = 0;
  std::uint16_t identification_ = 0;
};

/// Builds the same packets as a board and sends them in bursts of 32 to net_null, in a minimal loop without
/// queue pairs, windows, acknowledgements, congestion control or counters. The loop is the reference with
/// which the engine is compared. There are two variants:
///
/// - plain: DPDK's documented functions, payload attached as an external buffer, and lib/roce's functions for
///   the iCRC;
/// - best: faster techniques, namely references that stay attached (Mempools::create_references()), mbuf
///   fields written in one store, and the headers' CRC computed from tables.
///
/// Like TxBuilder, the loop copies a payload of up to 256 bytes into the mbuf of the headers. A packet with a
/// longer payload consists of three mbufs.
class BareLoop {
 public:
  enum class Kind : std::uint8_t { kPlain, kBest };

  /// All arguments except `options` must outlive this object. `payload` must be filled. `queue` of `port`
  /// must not be used by anything else.
  BareLoop(Kind kind, const CraftOptions& options, const board::PayloadSource& payload,
           const dataplane::Port& port, std::uint16_t queue, const dataplane::Arena& arena,
           dataplane::Mempools& pools);

  /// Sends a burst. Returns the number of packets that the port accepted (all, with net_null).
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
