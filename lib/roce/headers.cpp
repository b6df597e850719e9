// SPDX-License-Identifier: BSD-3-Clause
#include "roce/headers.hpp"

#include "roce/opcode.hpp"

#include <cstring>

namespace softfeb::roce {

void Bth::encode(std::uint8_t* out) const {
  out[0] = opcode;
  out[1] = static_cast<std::uint8_t>((solicited ? 0x80 : 0) | (mig_req ? 0x40 : 0) | ((pad_count & 3) << 4) |
                                     (tver & 0x0f));
  store_be16(out + 2, pkey);
  store_be32(out + 4, (std::uint32_t{fecn} << 31) | (std::uint32_t{becn} << 30) | (dest_qp & 0xff'ffff));
  store_be32(out + 8, (std::uint32_t{ack_req} << 31) | (psn & kPsnMask));
}

void Reth::encode(std::uint8_t* out) const {
  store_be64(out, virtual_address);
  store_be32(out + 8, rkey);
  store_be32(out + 12, dma_length);
}

void Aeth::encode(std::uint8_t* out) const {
  store_be32(out, (std::uint32_t{syndrome} << 24) | (msn & 0xff'ffff));
}

std::optional<Aeth> Aeth::decode(ByteSpan in) {
  if (in.size() < kSize) return std::nullopt;
  return Aeth{in[0], load_be24(&in[1])};
}

void encode_cnp(std::uint8_t* out, Qpn dest_qp, std::uint16_t pkey) {
  Bth bth;
  bth.opcode = kOpcodeCnp;
  bth.pkey = pkey;
  bth.becn = true;
  bth.dest_qp = dest_qp;
  bth.encode(out);
  std::memset(out + Bth::kSize, 0, kCnpSize - Bth::kSize);
}

}  // namespace softfeb::roce
