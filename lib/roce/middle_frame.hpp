// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/cpu.hpp"
#include "roce/craft.hpp"
#include "roce/path.hpp"

#include <cstdint>

namespace softfeb::roce {

/// Frames from the middle of messages, whose headers differ in nothing but identification, IP checksum, PSN
/// and iCRC: everything else is made once, the part of the iCRC too that does not change (doc/icrc.md).
class MiddleFrame {
 public:
  /// Without carry-less multiplication frames are made by craft_request().
  static bool usable() { return cpu::kPclmul; }

  MiddleFrame() = default;
  /// Of packets like `p`, which is a WRITE or SEND MIDDLE with a payload of a path MTU and without AckReq, on
  /// their way as `path` says but for its MAC addresses and traffic class, which may change. usable().
  MiddleFrame(const HeaderTemplate& path, const RequestPacket& p, Qpn dest_qp, std::uint16_t pkey);

  /// Whether it was made of packets like this one: operation, SE, payload's length.
  bool fits(const RequestPacket& p) const;

  std::uint32_t payload_length() const { return transport_bytes() - static_cast<std::uint32_t>(Bth::kSize); }
  /// BTH and payload: what congestion control counts.
  std::uint32_t transport_bytes() const {
    return udp_length() - static_cast<std::uint32_t>(kUdpHeaderSize + kIcrcSize);
  }

  /// Writes the headers to `header` and the iCRC to `trailer`, with as much room as craft_request() asks for.
  /// `payload_crc` is the payload's alone, see PayloadStream::crc(). `path` is the one it was made with.
  Crafted craft(const HeaderTemplate& path, Psn psn, std::uint16_t identification, std::uint32_t payload_crc,
                std::uint8_t* header, std::uint8_t* trailer) const;

 private:
  std::uint32_t udp_length() const { return __builtin_bswap16(static_cast<std::uint16_t>(udp_bth_)); }

  std::uint64_t udp_bth_ = 0;  ///< UDP length, checksum 0, first four bytes of the BTH, as they lie in memory
  std::uint32_t dest_word_ = 0;  ///< the next four
  std::uint32_t crc_ = 0;        ///< iCRC with identification, PSN and payload CRC 0
};

}  // namespace softfeb::roce
