// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/segments.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

/// Invariant CRC of RoCEv2 (IBA, annex A17.3.3). It is Ethernet's CRC-32 over the following bytes: eight 0xff
/// bytes (in place of the absent LRH); the IP, UDP and transport headers, with their variant fields set to
/// ones; the payload; and the pad. The iCRC is sent least significant byte first.
///
/// All CRC values follow the convention of ISA-L's crc32_gzip_refl(): they are already complemented, so
/// crc(crc(0, A), B) is the CRC of A followed by B.
namespace softfeb::roce {

/// CRC of `data`. `seed` is the CRC of the preceding bytes; 0 if there are none.
std::uint32_t crc32(std::uint32_t seed, ByteSpan data);
std::uint32_t crc32(std::uint32_t seed, const Segments& data);

/// Continues the CRC over the pad of a packet: `pad` zero bytes (0…3).
inline std::uint32_t crc32_of_pad(std::uint32_t seed, std::size_t pad) {
  static constexpr std::array<std::uint8_t, 3> kPad{};
  return pad == 0 ? seed : crc32(seed, ByteSpan(kPad).first(pad));
}

/// CRC of A ‖ B, where `crc` is the CRC of A, `tail` the CRC of B alone, and `length` the size of B in bytes.
/// Computes the shift factor on every call (doc/icrc.md).
std::uint32_t crc32_combine(std::uint32_t crc, std::uint32_t tail, std::size_t length);

/// The shift factor x^(8·length) mod P. Callers should compute it only once for each length.
std::uint32_t crc32_shift_factor(std::size_t length);
/// crc32_combine() with a precomputed shift factor. Needs only one multiplication mod P.
std::uint32_t crc32_combine_prepared(std::uint32_t crc, std::uint32_t tail, std::uint32_t shift_factor);

/// CRC over the eight 0xff bytes and the masked headers of a packet: IPv4 without options or IPv6, UDP, BTH
/// and extended transport headers. Does not change the headers.
std::uint32_t icrc_headers(ByteSpan ip_to_transport);

/// CRC over the part of the headers that is the same in all packets of a path: the eight 0xff bytes, the
/// masked IP header and the UDP ports. `ip_to_ports` consists of the IP header and the first four bytes of
/// the UDP header.
std::uint32_t icrc_path(ByteSpan ip_to_ports);

/// The iCRC that a received packet should have. `datagram` extends from the IP header to the last byte before
/// the iCRC.
std::uint32_t icrc_of(const Segments& datagram);
/// Like icrc_headers(), but faster. `headers` must contain exactly the headers from IP to BTH, and RETH and
/// ImmDt if present.
std::uint32_t icrc_complete_headers(ByteSpan headers);
/// General case of icrc_of(): the headers may be split at any offset.
std::uint32_t icrc_of_pieces(const Segments& datagram);

}  // namespace softfeb::roce
