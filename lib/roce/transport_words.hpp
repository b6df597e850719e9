// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "roce/craft.hpp"
#include "roce/headers.hpp"
#include "roce/packet.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace softfeb::roce {

/// The headers that follow the UDP ports, as words in memory order: UDP length and checksum, BTH, and
/// extended headers. They are written with few stores. Their CRC is computed from registers, so that the
/// written headers are not read back (doc/icrc.md).
struct TransportWords {
  /// Size of the part of the UDP header that `udp_bth` contains (length and checksum).
  static constexpr std::size_t kUdpPart = 4;

  std::uint64_t udp_bth = 0;  ///< UDP length, checksum 0, first four bytes of the BTH
  std::uint64_t bth = 0;      ///< remaining eight bytes of the BTH
  std::array<std::uint64_t, 2> reth{};
  std::uint32_t word = 0;  ///< ImmDt or AETH
  bool has_reth = false;   ///< the headers include a RETH or, in a CNP, the reserved bytes
  bool has_word = false;

  /// Returns the headers of request `p`, with a RETH if `with_reth` is true and an ImmDt if `with_immediate`
  /// is true. `padded` is the size of payload and pad in bytes.
  static TransportWords of(const RequestPacket& p, bool with_reth, bool with_immediate, std::uint32_t padded,
                           Qpn dest_qp, std::uint16_t pkey);
  static TransportWords of(const Aeth& aeth, Psn psn, Qpn dest_qp, std::uint16_t pkey);
  static TransportWords cnp(Qpn dest_qp, std::uint16_t pkey);
  /// Headers of a control frame of congestion control (congestion_header.hpp).
  static TransportWords congestion_control(Qpn dest_qp, std::uint16_t pkey);

  /// Number of four-byte words after the BTH: 0, 1, 4 or 5.
  std::size_t extended_words() const { return (has_reth ? 4U : 0U) + (has_word ? 1U : 0U); }
  std::size_t transport_size() const { return Bth::kSize + 4 * extended_words(); }

  /// Size of the UDP payload in bytes, from BTH to iCRC.
  std::uint32_t udp_payload(std::uint32_t padded) const {
    return static_cast<std::uint32_t>(transport_size() + kIcrcSize) + padded;
  }

  /// Writes kUdpPart + transport_size() bytes to `out`.
  void store(std::uint8_t* out) const {
    store_le64(out, udp_bth);
    store_le64(out + 8, bth);
    if (has_reth) {
      store_le64(out + 16, reth[0]);
      store_le64(out + 24, reth[1]);
    }
    if (has_word) store_le32(out + (has_reth ? 32 : 16), word);
  }

 private:
  static constexpr std::uint64_t pair(std::uint32_t first, std::uint32_t second) {
    return first | (std::uint64_t{second} << 32);
  }
  void set_bth(unsigned opcode, unsigned flags, std::uint16_t pkey, std::uint32_t qp_word,
               std::uint32_t psn_word) {
    udp_bth = std::uint64_t{opcode | (flags << 8) | (std::uint32_t{__builtin_bswap16(pkey)} << 16)} << 32;
    bth = pair(__builtin_bswap32(qp_word), __builtin_bswap32(psn_word));
  }
  void set_udp_length(std::uint32_t padded) {
    udp_bth |= __builtin_bswap16(static_cast<std::uint16_t>(kUdpHeaderSize + udp_payload(padded)));
  }
};

inline TransportWords TransportWords::of(const RequestPacket& p, bool with_reth, bool with_immediate,
                                         std::uint32_t padded, Qpn dest_qp, std::uint16_t pkey) {
  TransportWords w;
  w.set_bth(p.opcode, (p.solicited ? 0x80U : 0U) | (p.pad_count() << 4U), pkey, dest_qp & kPsnMask,
            (p.ack_req ? 0x8000'0000U : 0U) | (p.psn & kPsnMask));
  w.has_reth = with_reth;
  w.has_word = with_immediate;
  if (with_reth) {
    w.reth = {__builtin_bswap64(p.reth.virtual_address),
              pair(__builtin_bswap32(p.reth.rkey), __builtin_bswap32(p.reth.dma_length))};
  }
  if (with_immediate) w.word = __builtin_bswap32(p.immediate);
  w.set_udp_length(padded);
  return w;
}

inline TransportWords TransportWords::of(const Aeth& aeth, Psn psn, Qpn dest_qp, std::uint16_t pkey) {
  TransportWords w;
  w.set_bth(kOpcodeRcAck, 0, pkey, dest_qp & kPsnMask, psn & kPsnMask);
  w.has_word = true;
  w.word = __builtin_bswap32((std::uint32_t{aeth.syndrome} << 24) | (aeth.msn & 0xff'ffff));
  w.set_udp_length(0);
  return w;
}

inline TransportWords TransportWords::cnp(Qpn dest_qp, std::uint16_t pkey) {
  constexpr std::uint32_t kBecn = 0x4000'0000U;
  TransportWords w;
  w.set_bth(kOpcodeCnp, 0, pkey, kBecn | (dest_qp & kPsnMask), 0);
  w.has_reth = true;
  w.set_udp_length(0);
  return w;
}

inline TransportWords TransportWords::congestion_control(Qpn dest_qp, std::uint16_t pkey) {
  TransportWords w;
  w.set_bth(kOpcodeCongestionControl, 0, pkey, dest_qp & kPsnMask, 0);
  w.set_udp_length(0);
  return w;
}

/// Writes pad and iCRC with one store of 8 bytes, and returns the sizes of the frame's parts.
inline Crafted finish_frame(const HeaderTemplate& path, const TransportWords& w, std::uint32_t pad,
                            std::uint32_t crc, std::uint8_t* trailer) {
  store_le64(trailer, std::uint64_t{crc} << (8 * pad));
  return {static_cast<std::uint16_t>(path.size() + w.transport_size()),
          static_cast<std::uint8_t>(pad + kIcrcSize)};
}

/// Writes a frame without payload. Requires cpu::kPclmul.
Crafted craft_control_pclmul(const HeaderTemplate& path, const TransportWords& w,
                             std::uint16_t identification, std::uint8_t* header, std::uint8_t* trailer);

}  // namespace softfeb::roce
