// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/cpu.hpp"
#include "roce/craft.hpp"
#include "roce/path.hpp"

#include <cstdint>

namespace softfeb::roce {

/// Precomputed frame for the packets in the middle of a message. The headers and trailers of such packets
/// differ only in identification, IP checksum, PSN and iCRC. Everything else is computed once, including the
/// part of the iCRC that does not change (doc/icrc.md).
class MiddleFrame {
 public:
  /// False on CPUs without carry-less multiplication. Callers must then use craft_request().
  static bool usable() { return cpu::kPclmul; }

  MiddleFrame() = default;
  /// Prepares frames for packets like `p`: a WRITE or SEND MIDDLE with one path MTU of payload and without
  /// AckReq. The MAC addresses and traffic class of `path` may change later; its other fields must not.
  /// Requires usable().
  MiddleFrame(const HeaderTemplate& path, const RequestPacket& p, Qpn dest_qp, std::uint16_t pkey);

  /// True if this frame was prepared for packets like `p`, with the same operation, SE bit and payload
  /// length.
  bool fits(const RequestPacket& p) const;

  std::uint32_t payload_length() const { return transport_bytes() - static_cast<std::uint32_t>(Bth::kSize); }
  /// Size of BTH and payload in bytes. This is the size that congestion control counts.
  std::uint32_t transport_bytes() const {
    return udp_length() - static_cast<std::uint32_t>(kUdpHeaderSize + kIcrcSize);
  }

  /// Writes the headers to `header` and the iCRC to `trailer`. Both must have the sizes that craft_request()
  /// requires. `payload_crc` is the CRC of the payload alone (see PayloadStream::crc()). `path` is the
  /// template passed to the constructor.
  Crafted craft(const HeaderTemplate& path, Psn psn, std::uint16_t identification, std::uint32_t payload_crc,
                std::uint8_t* header, std::uint8_t* trailer) const;

 private:
  std::uint32_t udp_length() const { return __builtin_bswap16(static_cast<std::uint16_t>(udp_bth_)); }

  std::uint64_t udp_bth_ = 0;    ///< UDP length, checksum 0, first four bytes of the BTH, in memory order
  std::uint32_t dest_word_ = 0;  ///< next four bytes of the BTH (with the DestQP), in memory order
  std::uint32_t crc_ = 0;        ///< iCRC with identification, PSN and payload CRC set to 0
};

}  // namespace softfeb::roce
