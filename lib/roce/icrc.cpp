// SPDX-License-Identifier: BSD-3-Clause
#include "roce/icrc.hpp"

#include "roce/clmul.hpp"
#include "roce/clmul_reduce.hpp"
#include "roce/cpu.hpp"
#include "roce/crc_table.hpp"
#include "roce/headers.hpp"
#include "roce/ip.hpp"
#include "roce/shift_table.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <isa-l/crc.h>

namespace softfeb::roce {

namespace {

/// CRC of the eight 0xff bytes that replace the absent LRH.
constexpr std::uint32_t kLrhCrc = ~0xdebb20e3U;

/// Size of the IPv6 header, UDP header and BTH, the largest set of headers with masked fields.
constexpr std::size_t kMaskedRoom = kIpv6Size + kUdpHeaderSize + Bth::kSize;

bool is_v6(std::uint8_t first_byte) { return (first_byte >> 4) == 6; }

/// Sets the masked fields of an IP header to ones.
void mask_ip(std::uint8_t* ip, bool v6) {
  if (v6) {
    ip[0] |= 0x0f;  // traffic class and flow label
    ip[1] = ip[2] = ip[3] = 0xff;
    ip[7] = 0xff;  // hop limit
  } else {
    ip[1] = 0xff;            // ToS
    ip[8] = 0xff;            // TTL
    ip[10] = ip[11] = 0xff;  // header checksum
  }
}

/// Copies the headers from IP to BTH to `out` and masks them. Returns the number of bytes, or 0 if `bytes` is
/// too short.
std::size_t mask_headers(ByteSpan bytes, std::uint8_t* out) {
  const bool v6 = !bytes.empty() && is_v6(bytes[0]);
  const std::size_t ip = v6 ? kIpv6Size : kIpv4Size;
  const std::size_t n = ip + kUdpHeaderSize + Bth::kSize;
  if (bytes.size() < n) return 0;
  std::memcpy(out, bytes.data(), n);
  mask_ip(out, v6);
  out[ip + 6] = out[ip + 7] = 0xff;     // UDP checksum
  out[ip + kUdpHeaderSize + 4] = 0xff;  // FECN, BECN, reserved
  return n;
}

/// Sums the CRC contributions of a received packet's headers, word by word. Reads the shift factors from
/// kShiftTable in descending order.
class HeadFold {
 public:
  explicit HeadFold(std::size_t words) : factor_(&kShiftTable[words]) {}

  /// Adds the next two words, in memory order.
  SOFTFEB_PCLMUL void pair(std::uint64_t bytes) {
    factor_ -= 2;
    sum_ = clmul::add(sum_, clmul::product(bytes, factor_[1]));
  }
  SOFTFEB_PCLMUL void one(std::uint32_t bytes) {
    factor_ -= 1;
    sum_ = clmul::add(sum_, clmul::product(std::uint64_t{bytes} << 32, factor_[1]));
  }
  SOFTFEB_PCLMUL std::uint32_t raw() const { return clmul::reduce95(sum_); }

 private:
  const std::uint32_t* factor_;
  clmul::Sum sum_ = clmul::zero();
};

/// CRC over the contiguous headers from IP to BTH at `p`, and over the `extended` four-byte words that follow
/// them (RETH, ImmDt). Masks the variant fields, but does not change the headers in memory.
SOFTFEB_PCLMUL std::uint32_t head_crc(const std::uint8_t* p, bool v6, std::size_t extended) {
  HeadFold fold((v6 ? 15 : 10) + extended);
  if (v6) {
    fold.one((load_le32(p) | 0xffff'ff0fU) ^ ~kLrhCrc);
    fold.pair(load_le64(p + 4) | 0xff00'0000U);
    for (int i = 0; i < 4; ++i) fold.pair(load_le64(p + 12 + 8 * i));
    p += 44;
  } else {
    fold.pair((load_le64(p) | 0xff00U) ^ ~kLrhCrc);
    fold.pair(load_le64(p + 8) | 0xffff'00ffU);
    fold.pair(load_le64(p + 16));
    p += 24;
  }
  fold.pair(load_le64(p) | 0xffff'0000U);
  fold.pair(load_le64(p + 8) | 0xffU);
  p += 16;
  for (; extended >= 2; extended -= 2, p += 8) fold.pair(load_le64(p));
  if (extended != 0) fold.one(load_le32(p));
  return ~fold.raw();
}

/// Clears the upper halves of the vector registers, which ISA-L leaves dirty. Until these halves are cleared,
/// every SSE instruction of the whole program must preserve them. Such an instruction therefore has to wait
/// for the previous content of its destination register.
inline void clear_upper_halves() {
#if defined(__x86_64__)
  if (cpu::kAvx) __asm__ volatile("vzeroupper");
#endif
}

/// Inputs up to this length in bytes use crc32_by_table(), because ISA-L is optimized for long inputs.
constexpr std::size_t kShortRun = 16;

/// CRC over the first range of a datagram. The bytes after the BTH are processed together with the headers,
/// in one reduction, if they are no more than a RETH and an ImmDt (20 bytes).
std::uint32_t icrc_of_first(ByteSpan part) {
  const bool v6 = is_v6(part[0]);
  const std::size_t n = (v6 ? kIpv6Size : kIpv4Size) + kUdpHeaderSize + Bth::kSize;
  const std::size_t behind = part.size() - n;
  const std::size_t extended = behind <= Reth::kSize + ImmDt::kSize ? behind / 4 : 0;
  return crc32(head_crc(part.data(), v6, extended), part.subspan(n + 4 * extended));
}

}  // namespace

std::uint32_t crc32(std::uint32_t seed, ByteSpan data) {
  if (!cpu::kPclmul || data.size() <= kShortRun) return crc32_by_table(seed, data);
  const std::uint32_t crc = crc32_gzip_refl(seed, data.data(), data.size());
  clear_upper_halves();
  return crc;
}

std::uint32_t crc32(std::uint32_t seed, const Segments& data) {
  data.for_each([&seed](ByteSpan part) { seed = crc32(seed, part); });
  return seed;
}

std::uint32_t icrc_headers(ByteSpan ip_to_transport) {
  std::array<std::uint8_t, kMaskedRoom> masked;
  const std::size_t n = mask_headers(ip_to_transport, masked.data());
  const std::uint32_t crc = crc32_by_table(kLrhCrc, ByteSpan(masked).first(n));
  return crc32_by_table(crc, ip_to_transport.subspan(n));
}

std::uint32_t icrc_path(ByteSpan ip_to_ports) {
  std::array<std::uint8_t, kIpv6Size + 4> masked;
  std::copy(ip_to_ports.begin(), ip_to_ports.end(), masked.begin());
  mask_ip(masked.data(), is_v6(masked[0]));
  return crc32_by_table(kLrhCrc, ByteSpan(masked).first(ip_to_ports.size()));
}

std::uint32_t icrc_of(const Segments& datagram) {
  if (cpu::kPclmul && datagram.count() != 0 &&
      datagram.part(0).size() >= kMaskedRoom - (is_v6(datagram.part(0)[0]) ? 0 : kIpv6Size - kIpv4Size)) {
    std::uint32_t crc = icrc_of_first(datagram.part(0));
    for (std::size_t i = 1; i < datagram.count(); ++i) crc = crc32(crc, datagram.part(i));
    return crc;
  }
  return icrc_of_pieces(datagram);
}

std::uint32_t icrc_complete_headers(ByteSpan headers) {
  if (!cpu::kPclmul) return icrc_headers(headers);
  const bool v6 = is_v6(headers[0]);
  const std::size_t masked = kMaskedRoom - (v6 ? 0 : kIpv6Size - kIpv4Size);
  return head_crc(headers.data(), v6, (headers.size() - masked) / 4);
}

std::uint32_t icrc_of_pieces(const Segments& datagram) {
  std::array<std::uint8_t, kMaskedRoom> head;
  const std::size_t have = datagram.copy(0, head.size(), head.data());
  std::array<std::uint8_t, kMaskedRoom> masked;
  const std::size_t n = mask_headers(ByteSpan(head).first(have), masked.data());
  return crc32(crc32_by_table(kLrhCrc, ByteSpan(masked).first(n)), datagram.sub(n, datagram.size() - n));
}

std::uint32_t crc32_shift_factor(std::size_t length) { return clmul::power_of_x(std::uint64_t{length} * 8); }

std::uint32_t crc32_combine_prepared(std::uint32_t crc, std::uint32_t tail, std::uint32_t shift_factor) {
  return clmul::multiply(crc, shift_factor) ^ tail;
}

std::uint32_t crc32_combine(std::uint32_t crc, std::uint32_t tail, std::size_t length) {
  return crc32_combine_prepared(crc, tail, crc32_shift_factor(length));
}

}  // namespace softfeb::roce
