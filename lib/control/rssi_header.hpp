// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "control/rssi.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

/// Headers of RSSI v1 segments. Unlike everything above them they are big-endian.
namespace softfeb::control::rssi {

inline constexpr std::uint8_t kSyn = 0x80;
inline constexpr std::uint8_t kAck = 0x40;  ///< the acknowledge number is valid
inline constexpr std::uint8_t kRst = 0x10;
inline constexpr std::uint8_t kNul = 0x08;
inline constexpr std::uint8_t kBusy =
    0x01;  ///< the sender takes no more; its acknowledge number stands still

inline constexpr std::size_t kHeaderSize = 8;
inline constexpr std::size_t kSynSize = 24;

/// The least segment a connection can do with: headers of RSSI and packetizer around one word.
inline constexpr std::uint16_t kMinSegment = 32;
/// Twice this must stay below 256: sequence numbers are compared by their distance.
inline constexpr std::uint8_t kMaxOutstanding = 127;

/// How far `to` lies ahead of `from`, modulo 256.
constexpr std::uint8_t ahead(std::uint8_t from, std::uint8_t to) {
  return static_cast<std::uint8_t>(to - from);
}

struct Header {
  std::uint8_t flags = 0;
  std::uint8_t sequence = 0;
  std::uint8_t acknowledge = 0;

  bool operator==(const Header&) const = default;
};

/// What a SYN says besides.
struct Syn {
  RssiParameters parameters;
  std::uint8_t version = 1;
  bool checksum = true;                      ///< ignored by all: the checksum is mandatory
  std::uint8_t max_out_of_sequence = 0;      ///< EACK, which nobody uses
  std::uint8_t timeout_unit = 3;             ///< 10^-unit s; receivers take milliseconds whatever it says
  std::uint32_t connection_id = 0x12345678;  ///< ignored by all

  bool operator==(const Syn&) const = default;
};

/// A segment whose lengths and checksum were right.
struct Segment {
  Header header;
  std::optional<Syn> syn;  ///< with kSyn, and only then
  ByteSpan payload;        ///< part of the datagram; empty with kSyn

  bool has(std::uint8_t flag) const { return (header.flags & flag) != 0; }
  /// Neither data nor NUL, RST or SYN: acknowledges, and takes no number of its own.
  bool bare() const { return payload.empty() && (header.flags & (kSyn | kRst | kNul)) == 0; }
};

/// One's complement sum of the 16-bit words of a header but the last, the checksum's own; the carry is added
/// once, as the firmware does.
std::uint16_t checksum(ByteSpan header);

/// Writes 8 bytes; the flags have no kSyn.
void encode(const Header& header, std::uint8_t* out);
std::array<std::uint8_t, kSynSize> encode_syn(const Header& header, const Syn& syn);

/// Nothing where a length or the checksum is wrong, or SYN, NUL or RST carry data.
std::optional<Segment> parse(ByteSpan datagram);
/// What is wrong with a datagram that parse() refuses, in a few words; null where nothing is.
const char* fault_of(ByteSpan datagram);

}  // namespace softfeb::control::rssi
