// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/cpu.hpp"
#include "roce/packet.hpp"
#include "roce/path.hpp"
#include "roce/payload.hpp"

#include <cstdint>

namespace softfeb::roce {

/// Sizes in bytes of a frame's headers and of its trailer (pad and iCRC).
struct Crafted {
  std::uint16_t header_length = 0;
  std::uint8_t trailer_length = 0;
};

/// Implementations of craft_request(). The first uses carry-less multiplication and requires cpu::kPclmul;
/// the second uses tables. Both produce the same bytes.
Crafted craft_request_pclmul(const HeaderTemplate& path, const RequestPacket& p, Qpn dest_qp,
                             std::uint16_t pkey, std::uint16_t identification, const std::uint8_t* payload,
                             PreparedCrc payload_crc, std::uint8_t* header, std::uint8_t* trailer);
Crafted craft_request_portable(const HeaderTemplate& path, const RequestPacket& p, Qpn dest_qp,
                               std::uint16_t pkey, std::uint16_t identification, const std::uint8_t* payload,
                               PreparedCrc payload_crc, std::uint8_t* header, std::uint8_t* trailer);

/// Writes the headers of request `p` to `header` (HeaderTemplate::kMaxSize + kMaxTransportHeaders bytes)
/// and the pad and iCRC to `trailer` (8 bytes). `payload_crc` is the CRC of payload and pad (see
/// PayloadStream::crc()). If it is set, the payload is not read. Otherwise every byte of `payload` (at most
/// 4096) is read to compute the iCRC.
inline Crafted craft_request(const HeaderTemplate& path, const RequestPacket& p, Qpn dest_qp,
                             std::uint16_t pkey, std::uint16_t identification, const std::uint8_t* payload,
                             PreparedCrc payload_crc, std::uint8_t* header, std::uint8_t* trailer) {
  return cpu::kPclmul ? craft_request_pclmul(path, p, dest_qp, pkey, identification, payload, payload_crc,
                                             header, trailer)
                      : craft_request_portable(path, p, dest_qp, pkey, identification, payload, payload_crc,
                                               header, trailer);
}

/// Writes a complete acknowledgement: the headers to `header` and the iCRC to `trailer` (8 bytes).
Crafted craft_acknowledge(const HeaderTemplate& path, const Aeth& aeth, Psn psn, Qpn dest_qp,
                          std::uint16_t pkey, std::uint16_t identification, std::uint8_t* header,
                          std::uint8_t* trailer);

/// Writes a complete CNP. The parameters have the same meaning as those of craft_acknowledge().
Crafted craft_cnp(const HeaderTemplate& path, Qpn dest_qp, std::uint16_t pkey, std::uint16_t identification,
                  std::uint8_t* header, std::uint8_t* trailer);

/// Writes the packet of a control frame without its congestion control header, which
/// insert_congestion_header() adds. The parameters have the same meaning as those of craft_acknowledge().
Crafted craft_congestion_control(const HeaderTemplate& path, Qpn dest_qp, std::uint16_t pkey,
                                 std::uint16_t identification, std::uint8_t* header, std::uint8_t* trailer);

}  // namespace softfeb::roce
