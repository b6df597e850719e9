// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "srp/rssi.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

/// Headers of RSSI v1 segments. These headers are big-endian, unlike the headers of the layers above.
namespace softfeb::srp::rssi {

inline constexpr std::uint8_t kSyn = 0x80;
inline constexpr std::uint8_t kAck = 0x40;  ///< the acknowledge number is valid
inline constexpr std::uint8_t kRst = 0x10;
inline constexpr std::uint8_t kNul = 0x08;
/// The sender accepts no more segments; its acknowledge number does not advance.
inline constexpr std::uint8_t kBusy = 0x01;

inline constexpr std::size_t kHeaderSize = 8;
inline constexpr std::size_t kSynSize = 24;

/// Minimum segment size: one 8-byte word plus the overhead of RSSI and the packetizer.
inline constexpr std::uint16_t kMinSegment = 32;
/// Maximum window. Twice the window must be below 256: otherwise, the distance between two sequence numbers
/// (8 bits) would not show which one is older.
inline constexpr std::uint8_t kMaxOutstanding = 127;

/// Distance from `from` to `to`, modulo 256.
constexpr std::uint8_t ahead(std::uint8_t from, std::uint8_t to) {
  return static_cast<std::uint8_t>(to - from);
}

struct Header {
  std::uint8_t flags = 0;
  std::uint8_t sequence = 0;
  std::uint8_t acknowledge = 0;

  bool operator==(const Header&) const = default;
};

/// Fields that only a SYN header has.
struct Syn {
  RssiParameters parameters;
  std::uint8_t version = 1;
  /// Ignored by all implementations, because the checksum is mandatory.
  bool checksum = true;
  std::uint8_t max_out_of_sequence = 0;      ///< for EACK segments, which no implementation uses
  std::uint8_t timeout_unit = 3;             ///< the unit is 10^-timeout_unit s; receivers assume ms
  std::uint32_t connection_id = 0x12345678;  ///< ignored by all implementations

  bool operator==(const Syn&) const = default;
};

/// A segment with valid lengths and checksum.
struct Segment {
  Header header;
  std::optional<Syn> syn;  ///< present if and only if kSyn is set
  ByteSpan payload;        ///< refers to the datagram; empty with kSyn

  bool has(std::uint8_t flag) const { return (header.flags & flag) != 0; }
  /// True for a pure acknowledgement, which carries no data, NUL, RST or SYN and uses no sequence number.
  bool bare() const { return payload.empty() && (header.flags & (kSyn | kRst | kNul)) == 0; }
};

/// Complement of the one's complement sum of the header's 16-bit words, except the last word, which contains
/// the checksum. The carry is added only once, as in the firmware.
std::uint16_t checksum(ByteSpan header);

/// Writes 8 bytes; the flags must not contain kSyn.
void encode(const Header& header, std::uint8_t* out);
std::array<std::uint8_t, kSynSize> encode_syn(const Header& header, const Syn& syn);

/// Returns nullopt if a length or the checksum is wrong, or if a SYN, NUL or RST carries data.
std::optional<Segment> parse(ByteSpan datagram);
/// Returns the reason why parse() rejects a datagram, in a few words; null if it accepts the datagram.
const char* fault_of(ByteSpan datagram);

}  // namespace softfeb::srp::rssi
