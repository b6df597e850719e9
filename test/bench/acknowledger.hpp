// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "dataplane/mempools.hpp"
#include "endpoints.hpp"
#include "roce/path.hpp"
#include "roce/psn.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

struct rte_mbuf;
struct rte_mempool;
struct rte_eth_rxtx_callback;

namespace softfeb::bench {

/// Writes the acknowledgements of a peer that accepts every packet. An acknowledgement is a whole IPv4 frame.
/// Only QPN, PSN, iCRC and, if present, the INT record are written to a prepared frame, so that writing costs
/// too little to affect the measurement. Because a CRC is linear, the iCRC is computed from two parts: the
/// iCRC of the frame with zeros in QPN and PSN, and a table value for each byte of these fields.
class AckWriter {
 public:
  static constexpr std::size_t kPlainSize = 14 + 20 + 8 + 12 + 4 + 4;
  static constexpr std::size_t kRoom = kPlainSize + kIntHeader;

  /// `path` leads from the peer to the board. With `int_records`, acknowledgements contain a congestion
  /// control header with a record of an idle switch port.
  AckWriter(const roce::Path& path, bool int_records);

  /// The prepared frame, of which the first size() bytes are used. Copy these bytes to a buffer, then call
  /// patch().
  const std::array<std::uint8_t, kRoom>& frame() const { return frame_; }
  std::uint16_t size() const { return size_; }

  /// Turns a copy of frame(), whether patched before or not, into the acknowledgement of packet `psn` for
  /// `qpn`.
  void patch(std::uint8_t* frame, roce::Qpn qpn, roce::Psn psn) {
    if (int_records_) advance_record(frame);
    std::uint8_t* const bth = frame + bth_;
    store_be32(bth + 4, qpn);
    store_be32(bth + 8, psn);
    std::uint32_t crc = base_;
    for (unsigned k = 0; k < 3; ++k) crc ^= qpn_[k][(qpn >> 8 * k) & 0xff] ^ psn_[k][(psn >> 8 * k) & 0xff];
    store_le32(frame + size_ - 4, crc);
  }

 private:
  using Table = std::array<std::uint32_t, 256>;

  void advance_record(std::uint8_t* frame);

  bool int_records_;
  std::uint16_t size_ = 0;
  std::uint16_t bth_;
  std::uint32_t record_time_ = 0;  ///< time in the last INT record, in nanoseconds
  std::array<std::uint8_t, kRoom> frame_{};
  std::uint32_t base_ = 0;
  std::array<Table, 3> qpn_{};  ///< indexed by byte, least significant first
  std::array<Table, 3> psn_{};
};

/// Records which packets request an acknowledgement, and builds these acknowledgements. A real responder
/// acknowledges exactly these packets too, so the number of acknowledgements is realistic. Single-threaded.
class Acknowledger {
 public:
  /// The pool belongs to `pools`, which must outlive this object.
  Acknowledger(const roce::Path& path_to_board, unsigned lcores, dataplane::Mempools& pools,
               bool int_records = false);

  /// Records packets sent by the board. They must be IPv4 without a VLAN tag.
  void note(rte_mbuf* const* packets, std::uint16_t n);
  /// Returns up to `room` pending frames, in order. The caller owns them.
  std::uint16_t make(rte_mbuf** frames, std::uint16_t room);

  std::uint64_t made() const { return first_; }

 private:
  struct Owed {
    roce::Qpn qpn;
    roce::Psn psn;
  };
  /// Capacity for pending acknowledgements. It suffices, because each iteration records at most one burst and
  /// sends one burst.
  static constexpr std::size_t kRoom = 4096;

  AckWriter writer_;
  std::size_t bth_;  ///< offset of the BTH in the board's packets
  rte_mempool* pool_;
  std::vector<Owed> owed_;
  std::uint64_t first_ = 0;
  std::uint64_t end_ = 0;
};

/// The far end of a net_null queue. It inspects the packets passed to tx_burst; the next rx_burst returns the
/// acknowledgements that these packets request. One object serves one queue and one thread.
class AckSource {
 public:
  /// All references must outlive this object. The port must be started and, like net_null, accept every
  /// packet immediately.
  AckSource(std::uint16_t port, std::uint16_t queue, const roce::Path& path_to_board, unsigned lcores,
            dataplane::Mempools& pools, bool int_records = false);
  ~AckSource();
  AckSource(const AckSource&) = delete;
  AckSource& operator=(const AckSource&) = delete;

  std::uint64_t acks() const { return acknowledger_.made(); }

 private:
  std::uint16_t port_;
  std::uint16_t queue_;
  Acknowledger acknowledger_;
  const rte_eth_rxtx_callback* tx_ = nullptr;
  const rte_eth_rxtx_callback* rx_ = nullptr;
};

}  // namespace softfeb::bench
