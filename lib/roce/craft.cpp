// SPDX-License-Identifier: BSD-3-Clause
#include "roce/craft.hpp"

#include "roce/clmul.hpp"
#include "roce/icrc.hpp"
#include "roce/shift_table.hpp"
#include "roce/transport_words.hpp"

namespace softfeb::roce {

namespace {

/// Writes all headers and returns the CRC over them.
std::uint32_t write_headers(const HeaderTemplate& path, const TransportWords& w, std::uint32_t padded,
                            std::uint16_t identification, std::uint8_t* header) {
  path.write_ip(header, path.ip_word(w.udp_payload(padded), identification));
  w.store(header + path.size() - TransportWords::kUdpPart);
  const std::size_t n = path.size() + w.transport_size();
  return icrc_headers(ByteSpan(header, n).subspan(path.ip_offset()));
}

Crafted craft_control(const HeaderTemplate& path, const TransportWords& w, std::uint16_t identification,
                      std::uint8_t* header, std::uint8_t* trailer) {
  if (cpu::kPclmul) return craft_control_pclmul(path, w, identification, header, trailer);
  return finish_frame(path, w, 0, write_headers(path, w, 0, identification, header), trailer);
}

}  // namespace

Crafted craft_request_portable(const HeaderTemplate& path, const RequestPacket& p, Qpn dest_qp,
                               std::uint16_t pkey, std::uint16_t identification, const std::uint8_t* payload,
                               PreparedCrc payload_crc, std::uint8_t* header, std::uint8_t* trailer) {
  const Operation op = opcode_operation(p.opcode);
  const std::uint32_t pad = p.pad_count();
  const std::uint32_t padded = p.payload_length + pad;
  const TransportWords w = TransportWords::of(p, has_reth(op), has_immediate(op), padded, dest_qp, pkey);
  std::uint32_t crc = write_headers(path, w, padded, identification, header);
  if (payload_crc) {
    crc = clmul::multiply_portable(crc, kShiftTable[padded / 4]) ^ *payload_crc;
  } else {
    crc = crc32_of_pad(crc32(crc, ByteSpan(payload, p.payload_length)), pad);
  }
  return finish_frame(path, w, pad, crc, trailer);
}

Crafted craft_acknowledge(const HeaderTemplate& path, const Aeth& aeth, Psn psn, Qpn dest_qp,
                          std::uint16_t pkey, std::uint16_t identification, std::uint8_t* header,
                          std::uint8_t* trailer) {
  return craft_control(path, TransportWords::of(aeth, psn, dest_qp, pkey), identification, header, trailer);
}

Crafted craft_cnp(const HeaderTemplate& path, Qpn dest_qp, std::uint16_t pkey, std::uint16_t identification,
                  std::uint8_t* header, std::uint8_t* trailer) {
  return craft_control(path, TransportWords::cnp(dest_qp, pkey), identification, header, trailer);
}

Crafted craft_congestion_control(const HeaderTemplate& path, Qpn dest_qp, std::uint16_t pkey,
                                 std::uint16_t identification, std::uint8_t* header, std::uint8_t* trailer) {
  return craft_control(path, TransportWords::congestion_control(dest_qp, pkey), identification, header,
                       trailer);
}

}  // namespace softfeb::roce
