// SPDX-License-Identifier: BSD-3-Clause
#include "roce/icrc.hpp"

#include "roce/clmul.hpp"
#include "roce/headers.hpp"
#include "roce/ip.hpp"

#include <array>
#include <cstring>

#include <immintrin.h>
#include <isa-l/crc.h>

namespace softfeb::roce {

namespace {

/// CRC of the eight bytes of ones that stand for the absent LRH.
constexpr std::uint32_t kLrhCrc = ~0xdebb20e3U;

constexpr std::size_t kUdpSize = 8;
/// IPv6 + UDP + BTH, the longest run with masked fields in it.
constexpr std::size_t kMaskedRoom = kIpv6Size + kUdpSize + Bth::kSize;

/// Copies the headers that hold masked fields and masks them; 0 when they are not all there.
std::size_t mask_headers(ByteSpan bytes, std::uint8_t* out) {
  const bool v6 = !bytes.empty() && (bytes[0] >> 4) == 6;
  const std::size_t ip = v6 ? kIpv6Size : kIpv4Size;
  const std::size_t n = ip + kUdpSize + Bth::kSize;
  if (bytes.size() < n) return 0;
  std::memcpy(out, bytes.data(), n);
  if (v6) {
    out[0] |= 0x0f;  // traffic class and flow label
    out[1] = out[2] = out[3] = 0xff;
    out[7] = 0xff;  // hop limit
  } else {
    out[1] = 0xff;             // ToS
    out[8] = 0xff;             // TTL
    out[10] = out[11] = 0xff;  // header checksum
  }
  out[ip + 6] = out[ip + 7] = 0xff;  // UDP checksum
  out[ip + kUdpSize + 4] = 0xff;     // FECN, BECN, reserved
  return n;
}

const bool kHaveAvx = __builtin_cpu_supports("avx") != 0;

/// ISA-L leaves the upper halves of vector registers in use. Until somebody clears them, every SSE
/// instruction, and that is what the rest of the program and libraries are made of, has to preserve them and
/// waits for the one before.
__attribute__((target("avx"))) void clear_upper_halves() { _mm256_zeroupper(); }

}  // namespace

std::uint32_t crc32(std::uint32_t seed, ByteSpan data) {
  const std::uint32_t crc = crc32_gzip_refl(seed, data.data(), data.size());
  if (kHaveAvx) clear_upper_halves();
  return crc;
}

std::uint32_t crc32(std::uint32_t seed, const Segments& data) {
  data.for_each([&seed](ByteSpan part) { seed = crc32(seed, part); });
  return seed;
}

std::uint32_t icrc_headers(ByteSpan ip_to_transport) {
  std::array<std::uint8_t, kMaskedRoom> masked;
  const std::size_t n = mask_headers(ip_to_transport, masked.data());
  const std::uint32_t crc = crc32(kLrhCrc, ByteSpan(masked).first(n));
  return crc32(crc, ip_to_transport.subspan(n));
}

std::uint32_t icrc_of(const Segments& datagram) {
  std::array<std::uint8_t, kMaskedRoom> head;
  const std::size_t have = datagram.copy(0, head.size(), head.data());
  std::array<std::uint8_t, kMaskedRoom> masked;
  const std::size_t n = mask_headers(ByteSpan(head).first(have), masked.data());
  return crc32(crc32(kLrhCrc, ByteSpan(masked).first(n)), datagram.sub(n, datagram.size() - n));
}

std::uint32_t crc32_shift_factor(std::size_t length) { return clmul::power_of_x(std::uint64_t{length} * 8); }

std::uint32_t crc32_combine_prepared(std::uint32_t crc, std::uint32_t tail, std::uint32_t shift_factor) {
  return clmul::multiply(crc, shift_factor) ^ tail;
}

std::uint32_t crc32_combine(std::uint32_t crc, std::uint32_t tail, std::size_t length) {
  return crc32_combine_prepared(crc, tail, crc32_shift_factor(length));
}

}  // namespace softfeb::roce
