// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/packet.hpp"
#include "roce/path.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::roce {

/// Bytes of a frame around its payload.
struct Crafted {
  std::uint16_t header_length = 0;
  std::uint8_t trailer_length = 0;
};

/// Writes the headers of request `p` to `header` (HeaderTemplate::kMaxSize + kMaxTransportHeaders bytes of
/// room) and pad plus iCRC to `trailer` (8 bytes of room). The iCRC is made over every byte of `payload`, or,
/// where `payload_crc` (of payload and pad, see PayloadStream::crc) is given, without reading it.
Crafted craft_request(const HeaderTemplate& path, const RequestPacket& p, Qpn dest_qp, std::uint16_t pkey,
                      std::uint16_t identification, const std::uint8_t* payload,
                      std::optional<std::uint32_t> payload_crc, std::uint8_t* header, std::uint8_t* trailer);

/// The same bytes by tables: what CPUs without carry-less multiplication do (roce/cpu.hpp), for tests.
Crafted craft_request_portable(const HeaderTemplate& path, const RequestPacket& p, Qpn dest_qp,
                               std::uint16_t pkey, std::uint16_t identification, const std::uint8_t* payload,
                               std::optional<std::uint32_t> payload_crc, std::uint8_t* header,
                               std::uint8_t* trailer);

/// Writes an acknowledgement, whole: headers to `header`, iCRC to `trailer` (8 bytes of room).
Crafted craft_acknowledge(const HeaderTemplate& path, const Aeth& aeth, Psn psn, Qpn dest_qp,
                          std::uint16_t pkey, std::uint16_t identification, std::uint8_t* header,
                          std::uint8_t* trailer);

/// Writes a CNP, whole, likewise.
Crafted craft_cnp(const HeaderTemplate& path, Qpn dest_qp, std::uint16_t pkey, std::uint16_t identification,
                  std::uint8_t* header, std::uint8_t* trailer);

}  // namespace softfeb::roce
