// SPDX-License-Identifier: BSD-3-Clause
#include "roce/craft.hpp"

#include "roce/clmul.hpp"
#include "roce/clmul_reduce.hpp"
#include "roce/cpu.hpp"
#include "roce/icrc.hpp"
#include "roce/shift_table.hpp"
#include "roce/transport_words.hpp"

#include <optional>

namespace softfeb::roce {

namespace {

/// The iCRC's CRC over all headers, shifted past `behind` words that follow them: the sum of what each word
/// adds, brought to its place, over what the path's template has ready (doc/icrc.md).
__attribute__((target("pclmul,sse4.1"))) std::uint32_t header_crc(const HeaderTemplate& path,
                                                                  std::uint64_t ip_word,
                                                                  const TransportWords& w,
                                                                  std::size_t behind) {
  using clmul::product;
  const std::size_t extended = w.extended_words();
  const std::uint32_t* const end = &kShiftTable[behind + 1];
  const std::uint32_t* const bth = end + extended;
  const std::uint32_t reg = path.crc_register() ^ kComplement[extended];
  __m128i sum =
      _mm_xor_si128(product((w.udp_bth | 0xffff'0000U) ^ reg, bth[2]), product(w.bth | 0xff, bth[0]));
  sum = _mm_xor_si128(sum, product(ip_word, bth[4 + path.ip_word_distance()]));
  if (w.has_reth) {
    const std::uint32_t* const reth = end + (w.has_word ? 1 : 0);
    sum = _mm_xor_si128(sum, _mm_xor_si128(product(w.reth[0], reth[2]), product(w.reth[1], reth[0])));
  }
  if (w.has_word) sum = _mm_xor_si128(sum, product(std::uint64_t{w.word} << 32, end[0]));
  return clmul::reduce95(sum);
}

/// The same of headers that stand in memory.
std::uint32_t header_crc_portable(ByteSpan ip_to_transport, std::size_t behind) {
  const std::uint32_t crc = icrc_headers(ip_to_transport);
  return behind == 0 ? crc : clmul::multiply_portable(crc, kShiftTable[behind]);
}

/// Everything up to the payload, and the CRC over it shifted past `behind` words.
template <bool kPclmul>
std::uint32_t write_headers(const HeaderTemplate& path, const TransportWords& w, std::uint32_t udp_payload,
                            std::uint16_t identification, std::size_t behind, std::uint8_t* header) {
  path.write(header, udp_payload, identification);
  w.store(header + path.size() - TransportWords::kUdpPart);
  if constexpr (kPclmul) return header_crc(path, path.ip_word(udp_payload, identification), w, behind);
  const std::size_t n = path.size() + w.transport_size();
  return header_crc_portable(ByteSpan(header, n).subspan(path.ip_offset()), behind);
}

/// Pad and iCRC in one store.
void write_trailer(std::uint8_t* trailer, std::uint32_t pad, std::uint32_t crc) {
  store_le64(trailer, std::uint64_t{crc} << (8 * pad));
}

template <bool kPclmul>
Crafted craft_request_with(const HeaderTemplate& path, const RequestPacket& p, Qpn dest_qp,
                           std::uint16_t pkey, std::uint16_t identification, const std::uint8_t* payload,
                           std::optional<std::uint32_t> payload_crc, std::uint8_t* header,
                           std::uint8_t* trailer) {
  const std::uint32_t pad = p.pad_count();
  const std::uint32_t padded = p.payload_length + pad;
  TransportWords w = TransportWords::of(p, dest_qp, pkey);
  const auto udp_payload = static_cast<std::uint32_t>(w.transport_size() + padded + kIcrcSize);
  w.set_udp_payload(udp_payload);
  std::uint32_t crc =
      write_headers<kPclmul>(path, w, udp_payload, identification, payload_crc ? padded / 4 : 0, header);
  if (payload_crc) {
    crc ^= *payload_crc;
  } else {
    crc = crc32(crc, ByteSpan(payload, p.payload_length));
    crc = crc32_of_pad(crc, pad);
  }
  write_trailer(trailer, pad, crc);
  return {static_cast<std::uint16_t>(path.size() + w.transport_size()),
          static_cast<std::uint8_t>(pad + kIcrcSize)};
}

/// A packet that is all headers.
Crafted craft_control(const HeaderTemplate& path, TransportWords& w, std::uint16_t identification,
                      std::uint8_t* header, std::uint8_t* trailer) {
  const auto udp_payload = static_cast<std::uint32_t>(w.transport_size() + kIcrcSize);
  w.set_udp_payload(udp_payload);
  const auto write = cpu::kPclmul ? write_headers<true> : write_headers<false>;
  write_trailer(trailer, 0, write(path, w, udp_payload, identification, 0, header));
  return {static_cast<std::uint16_t>(path.size() + w.transport_size()), static_cast<std::uint8_t>(kIcrcSize)};
}

}  // namespace

Crafted craft_request(const HeaderTemplate& path, const RequestPacket& p, Qpn dest_qp, std::uint16_t pkey,
                      std::uint16_t identification, const std::uint8_t* payload,
                      std::optional<std::uint32_t> payload_crc, std::uint8_t* header, std::uint8_t* trailer) {
  const auto craft = cpu::kPclmul ? craft_request_with<true> : craft_request_with<false>;
  return craft(path, p, dest_qp, pkey, identification, payload, payload_crc, header, trailer);
}

Crafted craft_request_portable(const HeaderTemplate& path, const RequestPacket& p, Qpn dest_qp,
                               std::uint16_t pkey, std::uint16_t identification, const std::uint8_t* payload,
                               std::optional<std::uint32_t> payload_crc, std::uint8_t* header,
                               std::uint8_t* trailer) {
  return craft_request_with<false>(path, p, dest_qp, pkey, identification, payload, payload_crc, header,
                                   trailer);
}

Crafted craft_acknowledge(const HeaderTemplate& path, const Aeth& aeth, Psn psn, Qpn dest_qp,
                          std::uint16_t pkey, std::uint16_t identification, std::uint8_t* header,
                          std::uint8_t* trailer) {
  TransportWords w = TransportWords::of(aeth, psn, dest_qp, pkey);
  return craft_control(path, w, identification, header, trailer);
}

Crafted craft_cnp(const HeaderTemplate& path, Qpn dest_qp, std::uint16_t pkey, std::uint16_t identification,
                  std::uint8_t* header, std::uint8_t* trailer) {
  TransportWords w = TransportWords::cnp(dest_qp, pkey);
  return craft_control(path, w, identification, header, trailer);
}

}  // namespace softfeb::roce
