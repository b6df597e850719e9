// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "congestion/ack.hpp"
#include "roce/psn.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

/// The congestion control header (CCH), softfeb's own extension of RoCEv2. It lies between UDP and BTH in
/// frames to UDP port kCongestionUdpPort, and carries what congestion control algorithms exchange with
/// switches and with the other end: departure times, INT records, credit, or the fields of a user's
/// algorithm. All fields are big-endian:
///
///     byte 0     version (high 4 bits), flags (low 4 bits)
///     byte 1     profile
///     byte 2     length of the CCH in 32-bit words, 2…16
///     byte 3     hops: switches passed that know the CCH
///     bytes 4–5  Internet checksum of the CCH (RFC 1071)
///     bytes 6–7  path: XOR of the 16-bit identifiers of those switches
///     then       the body, whose content depends on the profile
///
/// congestion_frame.hpp removes a CCH from a frame. The iCRC does not cover it.
namespace softfeb::roce {

inline constexpr std::uint16_t kCongestionUdpPort = 49'791;  ///< default; private range
/// BTH opcode of a control frame: CCH, BTH and iCRC only. In the range for manufacturers (IBA table 38).
inline constexpr std::uint8_t kOpcodeCongestionControl = 0xc0;

/// A decoded or not yet encoded CCH.
struct CongestionHeader {
  static constexpr std::size_t kCommonSize = 8;
  static constexpr std::size_t kMaxSize = 64;
  static constexpr std::size_t kMaxBody = kMaxSize - kCommonSize;
  static constexpr std::uint8_t kVersion = 1;
  /// Flags.
  static constexpr std::uint8_t kEcho = 8;      ///< returned by the receiver with an ACK or NAK
  static constexpr std::uint8_t kControl = 4;   ///< in a control frame
  static constexpr std::uint8_t kMoreHops = 2;  ///< more switches than INT records
  /// Profiles. The body of every other profile is opaque; kFirstUser…0xff are for users' algorithms.
  static constexpr std::uint8_t kDelay = 1;
  static constexpr std::uint8_t kInt = 2;
  static constexpr std::uint8_t kCredit = 3;
  static constexpr std::uint8_t kFirstUser = 0xf0;

  std::uint8_t flags = 0;  ///< 4 bits
  std::uint8_t profile = 0;
  std::uint8_t hops = 0;  ///< saturates at 255
  std::uint16_t path = 0;
  ByteSpan body;  ///< not owned: within the decoded bytes. A multiple of 4 bytes, at most kMaxBody.

  std::size_t size() const { return kCommonSize + body.size(); }
  bool echo() const { return (flags & kEcho) != 0; }
  bool control() const { return (flags & kControl) != 0; }

  /// Decodes the CCH at the beginning of untrusted bytes. Returns nullopt if it is truncated, if version,
  /// length or checksum are wrong, or if the length is not that of the profile.
  static std::optional<CongestionHeader> decode(ByteSpan in);
  /// Writes size() bytes with their checksum, and returns size(). `body` must not overlap `out`.
  std::size_t encode(std::uint8_t* out) const;
};

/// Body of profile kDelay.
struct DelayBody {
  static constexpr std::size_t kSize = 8;

  std::uint32_t departed_ns = 0;  ///< when the first bit left, modulo 2^32; on the sender's clock
  std::uint32_t remote_ns = 0;    ///< time spent in the receiver; set in the echo, saturates

  void encode(std::uint8_t* out) const;
  /// Returns nullopt if the header has another profile.
  static std::optional<DelayBody> decode(const CongestionHeader& header);
  bool operator==(const DelayBody&) const = default;
};

/// Body of profile kInt: the records of the first switches, in path order.
struct IntBody {
  static constexpr std::size_t kMaxRecords = congestion::kMaxIntRecords;
  static constexpr std::size_t kSize = 8 * kMaxRecords;

  std::array<congestion::IntRecord, kMaxRecords> records{};
  std::size_t count = 0;

  static std::optional<IntBody> decode(const CongestionHeader& header);
};

/// Body of profile kCredit.
struct CreditBody {
  static constexpr std::size_t kSize = 12;
  /// Kinds; others must be ignored.
  static constexpr std::uint8_t kGrant = 1;   ///< allows packets up to `last_psn`
  static constexpr std::uint8_t kResend = 2;  ///< repeats the grant: `first_missing` has not arrived
  static constexpr std::uint8_t kBusy = 3;    ///< answers RESEND: the packet was never sent

  std::uint8_t kind = 0;
  std::uint8_t priority = 0;
  Psn last_psn = 0;
  Psn first_missing = 0;

  void encode(std::uint8_t* out) const;
  static std::optional<CreditBody> decode(const CongestionHeader& header);
  bool operator==(const CreditBody&) const = default;
};

/// These write a whole header to `out`, which has room for kMaxSize bytes, and return its size.
std::size_t write_delay_header(std::uint8_t* out, Time departure);
std::size_t write_int_header(std::uint8_t* out);
std::size_t write_credit_header(std::uint8_t* out, const CreditBody& body);
/// Pads `body` with zeros to whole words. Returns 0 if it exceeds kMaxBody, or if `profile` is no user's.
std::size_t write_user_header(std::uint8_t* out, std::uint8_t profile, ByteSpan body);

/// For a switch: counts a hop in the CCH at the beginning of `bytes` and, if its profile is kInt, adds
/// `record` while there is room. Updates the checksum incrementally (RFC 1624), so damage that an earlier
/// link caused remains visible. Returns false and changes nothing if the CCH is invalid, an echo, or that of
/// a control frame: those carry values for the end that they travel to.
bool add_hop(MutableByteSpan bytes, const congestion::IntRecord& record, std::uint16_t switch_id);

/// For a receiver: turns the CCH at the beginning of `bytes` into the one that its acknowledgement returns.
/// Profile kDelay gets `remote_delay`. Returns false and changes nothing if the CCH is invalid, an echo, or
/// that of a control frame.
bool make_echo(MutableByteSpan bytes, Time remote_delay);

}  // namespace softfeb::roce
