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

/// The congestion control header (CCH), softfeb's own extension of RoCEv2. The CCH lies between the UDP
/// header and the BTH in frames to UDP port kCongestionUdpPort. It carries the data that congestion control
/// algorithms exchange with switches and with the remote end: departure times, records of in-band network
/// telemetry (INT), credit, or the fields of a user-defined algorithm. All fields are big-endian:
///
///     byte 0     version (high 4 bits), flags (low 4 bits)
///     byte 1     profile
///     byte 2     length of the CCH in 32-bit words, 2…16
///     byte 3     hops: number of CCH-capable switches passed
///     bytes 4–5  Internet checksum of the CCH (RFC 1071)
///     bytes 6–7  path: XOR of the 16-bit identifiers of these switches
///     then       the body, whose content depends on the profile
///
/// congestion_frame.hpp inserts a CCH into a frame and removes it. The iCRC does not cover the CCH.
namespace softfeb::roce {

/// Default UDP destination port of frames with a CCH. It is in the range of dynamic and private ports.
inline constexpr std::uint16_t kCongestionUdpPort = 49'791;

/// The fields of a CCH, decoded or to be encoded.
struct CongestionHeader {
  static constexpr std::size_t kCommonSize = 8;
  static constexpr std::size_t kMaxSize = 64;
  static constexpr std::size_t kMaxBody = kMaxSize - kCommonSize;
  static constexpr std::uint8_t kVersion = 1;
  /// Bits of `flags`.
  static constexpr std::uint8_t kEcho = 8;     ///< the receiver returned this CCH with an ACK or NAK
  static constexpr std::uint8_t kControl = 4;  ///< this CCH is in a control frame
  /// The packet has passed more switches than the body has room for INT records.
  static constexpr std::uint8_t kMoreHops = 2;
  /// Values of `profile`. The body of any other profile is opaque. The profiles from kFirstUser to 0xff are
  /// for user-defined algorithms.
  static constexpr std::uint8_t kDelay = 1;
  static constexpr std::uint8_t kInt = 2;
  static constexpr std::uint8_t kCredit = 3;
  static constexpr std::uint8_t kFirstUser = 0xf0;

  std::uint8_t flags = 0;  ///< 4 bits
  std::uint8_t profile = 0;
  std::uint8_t hops = 0;  ///< saturates at 255
  std::uint16_t path = 0;
  /// Refers to the decoded bytes and does not own them. Its size is a multiple of 4 bytes, at most kMaxBody.
  ByteSpan body;

  std::size_t size() const { return kCommonSize + body.size(); }
  /// Size of the CCH at the beginning of `in`, according to its length field. The CCH is not validated.
  /// Requires that `in` contains at least kCommonSize bytes.
  static std::size_t stated_size(ByteSpan in) { return std::size_t{4} * in[2]; }
  bool echo() const { return (flags & kEcho) != 0; }
  bool control() const { return (flags & kControl) != 0; }

  /// Decodes the CCH at the beginning of untrusted bytes. Returns nullopt if the CCH is truncated, if its
  /// version, length or checksum is wrong, or if its length does not match its profile.
  static std::optional<CongestionHeader> decode(ByteSpan in);
  /// Writes size() bytes with their checksum, and returns size(). `body` must not overlap `out`.
  std::size_t encode(std::uint8_t* out) const;
};

/// Body of profile kDelay.
struct DelayBody {
  static constexpr std::size_t kSize = 8;

  /// Departure time of the first bit according to the sender's clock, modulo 2^32.
  std::uint32_t departed_ns = 0;
  std::uint32_t remote_ns = 0;  ///< time that the packet spent in the receiver, saturated; set in the echo

  void encode(std::uint8_t* out) const;
  /// Returns nullopt if the header has another profile.
  static std::optional<DelayBody> decode(const CongestionHeader& header);
  bool operator==(const DelayBody&) const = default;
};

/// Body of profile kInt: the records of the first switches on the path, in path order.
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
  /// Values of `kind`. Boards and receivers drop messages of any other kind, and count them as
  /// rx_bad_transport.
  static constexpr std::uint8_t kGrant = 1;  ///< GRANT: the sender may send packets up to `last_psn`
  /// RESEND: repeats the grant and requests the packet with PSN `first_missing`, which has not arrived.
  static constexpr std::uint8_t kResend = 2;
  /// BUSY: reply to a RESEND for a packet that has not been sent yet.
  static constexpr std::uint8_t kBusy = 3;

  std::uint8_t kind = 0;
  std::uint8_t priority = 0;
  Psn last_psn = 0;
  Psn first_missing = 0;

  void encode(std::uint8_t* out) const;
  static std::optional<CreditBody> decode(const CongestionHeader& header);
  bool operator==(const CreditBody&) const = default;
};

/// The following four functions write a complete CCH to `out`, which must have room for kMaxSize bytes, and
/// return the size of the CCH.
std::size_t write_delay_header(std::uint8_t* out, Time departure);
std::size_t write_int_header(std::uint8_t* out);
std::size_t write_credit_header(std::uint8_t* out, const CreditBody& body);
/// Pads `body` with zeros to a multiple of four bytes. Returns 0 if `body` exceeds kMaxBody, or if
/// `profile` is not for user-defined algorithms.
std::size_t write_user_header(std::uint8_t* out, std::uint8_t profile, ByteSpan body);

/// For a switch: counts a hop in the CCH at the beginning of `bytes`. If the profile is kInt, also adds
/// `record` if there is room. Updates the checksum incrementally (RFC 1624), so that corruption on an earlier
/// link remains detectable. Returns false and changes nothing if the CCH is invalid, or if it is an echo or
/// in a control frame. Echoes and control frames carry values for their destination, which switches must not
/// change.
bool add_hop(MutableByteSpan bytes, const congestion::IntRecord& record, std::uint16_t switch_id);

/// For a receiver: turns the CCH at the beginning of `bytes` into the echo that the acknowledgement
/// returns. If the profile is kDelay, stores `remote_delay` in the echo. Returns false and changes nothing if
/// the CCH is invalid, is already an echo, or is in a control frame.
bool make_echo(MutableByteSpan bytes, Time remote_delay);

}  // namespace softfeb::roce
