// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/cpu.hpp"
#include "roce/packet.hpp"
#include "roce/path.hpp"
#include "roce/payload.hpp"

#include <cstdint>

namespace softfeb::roce {

/// Bytes of a frame around its payload.
struct Crafted {
  std::uint16_t header_length = 0;
  std::uint8_t trailer_length = 0;
};

/// The two ways of craft_request(): with carry-less multiplication, where cpu::kPclmul holds, and by tables.
/// They make the same bytes.
Crafted craft_request_pclmul(const HeaderTemplate& path, const RequestPacket& p, Qpn dest_qp,
                             std::uint16_t pkey, std::uint16_t identification, const std::uint8_t* payload,
                             PreparedCrc payload_crc, std::uint8_t* header, std::uint8_t* trailer);
Crafted craft_request_portable(const HeaderTemplate& path, const RequestPacket& p, Qpn dest_qp,
                               std::uint16_t pkey, std::uint16_t identification, const std::uint8_t* payload,
                               PreparedCrc payload_crc, std::uint8_t* header, std::uint8_t* trailer);

/// Writes the headers of request `p` to `header` (HeaderTemplate::kMaxSize + kMaxTransportHeaders bytes of
/// room) and pad plus iCRC to `trailer` (8 bytes of room). The iCRC is made over every byte of `payload`, at
/// most 4096, or, where `payload_crc` (of payload and pad, see PayloadStream::crc) is given, without reading
/// it.
inline Crafted craft_request(const HeaderTemplate& path, const RequestPacket& p, Qpn dest_qp,
                             std::uint16_t pkey, std::uint16_t identification, const std::uint8_t* payload,
                             PreparedCrc payload_crc, std::uint8_t* header, std::uint8_t* trailer) {
  return cpu::kPclmul ? craft_request_pclmul(path, p, dest_qp, pkey, identification, payload, payload_crc,
                                             header, trailer)
                      : craft_request_portable(path, p, dest_qp, pkey, identification, payload, payload_crc,
                                               header, trailer);
}

/// Writes an acknowledgement, whole: headers to `header`, iCRC to `trailer` (8 bytes of room).
Crafted craft_acknowledge(const HeaderTemplate& path, const Aeth& aeth, Psn psn, Qpn dest_qp,
                          std::uint16_t pkey, std::uint16_t identification, std::uint8_t* header,
                          std::uint8_t* trailer);

/// Writes a CNP, whole, likewise.
Crafted craft_cnp(const HeaderTemplate& path, Qpn dest_qp, std::uint16_t pkey, std::uint16_t identification,
                  std::uint8_t* header, std::uint8_t* trailer);

}  // namespace softfeb::roce
