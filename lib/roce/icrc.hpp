// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/segments.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

/// Invariant CRC of RoCEv2 (annex A17.3.3): Ethernet's CRC-32 over eight bytes of ones (the absent LRH), the
/// IP, UDP and transport headers with the fields a switch may change set to ones, payload and pad. Sent least
/// significant byte first.
///
/// All values here are what ISA-L's crc32_gzip_refl() takes and gives: already complemented, so that
/// crc(crc(0, A), B) is the CRC of A followed by B.
namespace softfeb::roce {

/// CRC of `data` continued from `seed` (0 to begin).
std::uint32_t crc32(std::uint32_t seed, ByteSpan data);
std::uint32_t crc32(std::uint32_t seed, const Segments& data);

/// CRC continued over up to three bytes of 0: a packet's pad.
inline std::uint32_t crc32_of_pad(std::uint32_t seed, std::size_t pad) {
  static constexpr std::array<std::uint8_t, 3> kPad{};
  return pad == 0 ? seed : crc32(seed, ByteSpan(kPad).first(pad));
}

/// Value after `crc` (of A) when A is followed by `length` bytes of which `tail` is the CRC by itself: crc(A
/// ‖ B). One carry-less multiplication where the CPU has it; the result does not depend on that.
/// (doc/icrc.md)
std::uint32_t crc32_combine(std::uint32_t crc, std::uint32_t tail, std::size_t length);

/// The factor x^(8·length) mod P for crc32_combine_prepared(): worth keeping where one length recurs.
std::uint32_t crc32_shift_factor(std::size_t length);
std::uint32_t crc32_combine_prepared(std::uint32_t crc, std::uint32_t tail, std::uint32_t shift_factor);

/// CRC over the masked headers of a packet: `ip` points at the IP header (IPv4 without options or IPv6),
/// followed by UDP and `transport_length` bytes of transport headers. Headers are read, not changed.
std::uint32_t icrc_headers(ByteSpan ip_to_transport);

/// CRC over what goes before the headers' changing part: `ip_to_ports` is an IP header and the first four
/// bytes of UDP.
std::uint32_t icrc_path(ByteSpan ip_to_ports);

/// The iCRC an arrived packet should have. `datagram` runs from the IP header to the last byte before the
/// iCRC.
std::uint32_t icrc_of(const Segments& datagram);
/// The same of `headers`, which are IP to BTH, perhaps RETH and ImmDt, without more or less, and what stands
/// behind them.
std::uint32_t icrc_of_parts(ByteSpan headers, ByteSpan payload);
/// As icrc_of() whatever the pieces: what icrc_of() does where the headers are not in one.
std::uint32_t icrc_of_pieces(const Segments& datagram);

}  // namespace softfeb::roce
