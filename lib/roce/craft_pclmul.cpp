// SPDX-License-Identifier: BSD-3-Clause
// Builds frames on CPUs with carry-less multiplication. There is a separate function for each combination
// of headers. Each function writes the headers from registers, so that nothing is read back from memory.
#include "roce/clmul_reduce.hpp"
#include "roce/craft.hpp"
#include "roce/icrc.hpp"
#include "roce/middle_frame.hpp"
#include "roce/shift_table.hpp"
#include "roce/transport_words.hpp"

namespace softfeb::roce {

namespace {

/// CRC over all headers, shifted past the `behind` words that follow the headers. The CRC is the sum of two
/// parts: the CRC register in the path's template, and the contributions of all words, each shifted to its
/// position (doc/icrc.md).
SOFTFEB_PCLMUL inline std::uint32_t header_crc(const HeaderTemplate& path, std::uint64_t ip_word,
                                               const TransportWords& w, std::size_t behind) {
  using clmul::add, clmul::product;
  const std::size_t extended = w.extended_words();
  const std::uint32_t* const end = &kShiftTable[behind + 1];
  const std::uint32_t* const bth = end + extended;
  const std::uint32_t reg = path.crc_register() ^ kComplement[extended];
  clmul::Sum sum = add(product((w.udp_bth | 0xffff'0000U) ^ reg, bth[2]), product(w.bth | 0xff, bth[0]));
  sum = add(sum, product(ip_word, bth[4 + path.ip_word_distance()]));
  if (w.has_reth) {
    const std::uint32_t* const reth = end + (w.has_word ? 1 : 0);
    sum = add(sum, add(product(w.reth[0], reth[2]), product(w.reth[1], reth[0])));
  }
  if (w.has_word) sum = add(sum, product(std::uint64_t{w.word} << 32, end[0]));
  return clmul::reduce95(sum);
}

/// Writes a request, with a RETH if kReth is true and an ImmDt if kWord is true. Each combination of headers
/// has its own instance without branches.
template <bool kReth, bool kWord>
SOFTFEB_PCLMUL Crafted write_request(const HeaderTemplate& path, const RequestPacket& p, Qpn dest_qp,
                                     std::uint16_t pkey, std::uint16_t identification,
                                     const std::uint8_t* payload, PreparedCrc payload_crc,
                                     std::uint8_t* header, std::uint8_t* trailer) {
  const std::uint32_t pad = p.pad_count();
  const std::uint32_t padded = p.payload_length + pad;
  const TransportWords w = TransportWords::of(p, kReth, kWord, padded, dest_qp, pkey);
  const std::uint64_t ip_word = path.ip_word(w.udp_payload(padded), identification);
  path.write_ip(header, ip_word);
  w.store(header + path.size() - TransportWords::kUdpPart);
  std::uint32_t crc = header_crc(path, ip_word, w, payload_crc ? padded / 4 : 0);
  if (payload_crc) {
    crc ^= *payload_crc;
  } else {
    crc = crc32_of_pad(crc32(crc, ByteSpan(payload, p.payload_length)), pad);
  }
  return finish_frame(path, w, pad, crc, trailer);
}

}  // namespace

SOFTFEB_PCLMUL Crafted craft_request_pclmul(const HeaderTemplate& path, const RequestPacket& p, Qpn dest_qp,
                                            std::uint16_t pkey, std::uint16_t identification,
                                            const std::uint8_t* payload, PreparedCrc payload_crc,
                                            std::uint8_t* header, std::uint8_t* trailer) {
  const Operation op = opcode_operation(p.opcode);
  if (!has_reth(op) && !has_immediate(op)) {
    return write_request<false, false>(path, p, dest_qp, pkey, identification, payload, payload_crc, header,
                                       trailer);
  }
  const auto write = !has_immediate(op) ? write_request<true, false>
                     : has_reth(op)     ? write_request<true, true>
                                        : write_request<false, true>;
  return write(path, p, dest_qp, pkey, identification, payload, payload_crc, header, trailer);
}

SOFTFEB_PCLMUL Crafted craft_control_pclmul(const HeaderTemplate& path, const TransportWords& w,
                                            std::uint16_t identification, std::uint8_t* header,
                                            std::uint8_t* trailer) {
  const std::uint64_t ip_word = path.ip_word(w.udp_payload(0), identification);
  path.write_ip(header, ip_word);
  w.store(header + path.size() - TransportWords::kUdpPart);
  const std::uint32_t crc = header_crc(path, ip_word, w, 0);
  return finish_frame(path, w, 0, crc, trailer);
}

namespace {

TransportWords middle_words(const RequestPacket& p, Qpn dest_qp, std::uint16_t pkey) {
  RequestPacket first = p;
  first.psn = 0;
  return TransportWords::of(first, false, false, p.payload_length, dest_qp, pkey);
}

}  // namespace

MiddleFrame::MiddleFrame(const HeaderTemplate& path, const RequestPacket& p, Qpn dest_qp,
                         std::uint16_t pkey) {
  const TransportWords w = middle_words(p, dest_qp, pkey);
  udp_bth_ = w.udp_bth;
  dest_word_ = static_cast<std::uint32_t>(w.bth);
  crc_ = header_crc(path, path.ip_word(w.udp_payload(p.payload_length), 0), w, p.payload_length / 4);
}

bool MiddleFrame::fits(const RequestPacket& p) const {
  constexpr std::uint64_t kPkey = std::uint64_t{0xffff} << 48;
  return ((middle_words(p, 0, 0).udp_bth ^ udp_bth_) & ~kPkey) == 0;
}

SOFTFEB_PCLMUL Crafted MiddleFrame::craft(const HeaderTemplate& path, Psn psn, std::uint16_t identification,
                                          std::uint32_t payload_crc, std::uint8_t* header,
                                          std::uint8_t* trailer) const {
  const std::uint32_t udp = udp_length();
  const std::uint32_t psn_word = __builtin_bswap32(psn);
  const std::uint32_t* const factors = &kShiftTable[payload_length() / 4 + 1];
  clmul::Sum sum = clmul::product(psn_word, factors[0]);
  if (path.is_v4()) {
    const std::uint32_t id_word = __builtin_bswap16(identification);
    sum = clmul::add(sum, clmul::product(id_word, factors[4 + HeaderTemplate::kIpv4WordDistance]));
    path.write_v4(header, HeaderTemplate::v4_word(udp, identification));
  } else {
    path.write_v6(header, HeaderTemplate::v6_word(udp));
  }
  const std::size_t size = path.size();
  std::uint8_t* const transport = header + size - TransportWords::kUdpPart;
  store_le64(transport, udp_bth_);
  store_le64(transport + 8, dest_word_ | (std::uint64_t{psn_word} << 32));
  store_le32(trailer, crc_ ^ payload_crc ^ clmul::reduce63(sum));
  return {static_cast<std::uint16_t>(size + Bth::kSize), static_cast<std::uint8_t>(kIcrcSize)};
}

}  // namespace softfeb::roce
