// SPDX-License-Identifier: BSD-3-Clause
#include "roce/craft.hpp"

#include "roce/icrc.hpp"

#include <array>

namespace softfeb::roce {

namespace {

/// Factors for the payload lengths that recur: every full path MTU, made once.
std::uint32_t shift_factor(std::uint32_t length) {
  static const std::array<std::uint32_t, 5> kFull{crc32_shift_factor(256), crc32_shift_factor(512),
                                                  crc32_shift_factor(1024), crc32_shift_factor(2048),
                                                  crc32_shift_factor(4096)};
  switch (length) {
    case 256:
      return kFull[0];
    case 512:
      return kFull[1];
    case 1024:
      return kFull[2];
    case 2048:
      return kFull[3];
    case 4096:
      return kFull[4];
    default:
      return crc32_shift_factor(length);
  }
}

/// A packet that is all headers: AETH or the reserved bytes of a CNP included.
Crafted finish_control(const HeaderTemplate& path, std::size_t transport, std::uint16_t identification,
                       std::uint8_t* header, std::uint8_t* trailer) {
  path.write(header, static_cast<std::uint32_t>(transport + kIcrcSize), identification);
  const std::size_t n = path.size() + transport;
  store_le32(trailer, icrc_headers(ByteSpan(header, n).subspan(path.ip_offset())));
  return {static_cast<std::uint16_t>(n), static_cast<std::uint8_t>(kIcrcSize)};
}

}  // namespace

Crafted craft_request(const HeaderTemplate& path, const RequestPacket& p, Qpn dest_qp, std::uint16_t pkey,
                      std::uint16_t identification, const std::uint8_t* payload,
                      std::optional<std::uint32_t> payload_crc, std::uint8_t* header, std::uint8_t* trailer) {
  const std::uint32_t pad = p.pad_count();
  const std::size_t transport = encode_request(p, dest_qp, pkey, header + path.size());
  const std::size_t n = path.size() + transport;
  path.write(header, static_cast<std::uint32_t>(transport + p.payload_length + pad + kIcrcSize),
             identification);
  for (std::uint32_t i = 0; i < pad; ++i) trailer[i] = 0;
  std::uint32_t crc = icrc_headers(ByteSpan(header, n).subspan(path.ip_offset()));
  if (payload_crc) {
    crc = crc32_combine_prepared(crc, *payload_crc, shift_factor(p.payload_length + pad));
  } else {
    crc = crc32(crc, ByteSpan(payload, p.payload_length));
    crc = crc32(crc, ByteSpan(trailer, pad));
  }
  store_le32(trailer + pad, crc);
  return {static_cast<std::uint16_t>(n), static_cast<std::uint8_t>(pad + kIcrcSize)};
}

Crafted craft_acknowledge(const HeaderTemplate& path, const Aeth& aeth, Psn psn, Qpn dest_qp,
                          std::uint16_t pkey, std::uint16_t identification, std::uint8_t* header,
                          std::uint8_t* trailer) {
  Bth bth;
  bth.opcode = kOpcodeRcAck;
  bth.pkey = pkey;
  bth.dest_qp = dest_qp;
  bth.psn = psn;
  bth.encode(header + path.size());
  aeth.encode(header + path.size() + Bth::kSize);
  return finish_control(path, Bth::kSize + Aeth::kSize, identification, header, trailer);
}

Crafted craft_cnp(const HeaderTemplate& path, Qpn dest_qp, std::uint16_t pkey, std::uint16_t identification,
                  std::uint8_t* header, std::uint8_t* trailer) {
  encode_cnp(header + path.size(), dest_qp, pkey);
  return finish_control(path, kCnpSize, identification, header, trailer);
}

}  // namespace softfeb::roce
