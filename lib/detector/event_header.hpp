// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "detector/event_time.hpp"
#include "detector/event_type.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

/// The 64-byte header in front of the payload of every WRITE that carries event data. All numbers are
/// little-endian; both CRCs are zlib's CRC-32.
///
///      0 magic "SFEB"   4 version 1 (u8)    5 header words 16 (u8)   6 flags (u16)
///      8 run           12 board (u16)      14 event type (u8)       15 payload kind (u8)
///     16 event (u64)   24 TAI seconds      28 quarter ns, < 4·10⁹
///     32 length of this payload            36 its offset            40 total
///     44 channels (u16)  46 samples (u16)  48 lost since run start  52 zero
///     56 CRC-32 of the payload             60 CRC-32 of bytes 0–59
namespace softfeb::detector {

inline constexpr std::size_t kEventHeaderSize = 64;
inline constexpr std::uint32_t kEventMagic = 0x4245'4653;  ///< "SFEB" in memory
inline constexpr std::uint8_t kEventVersion = 1;

/// Format of a payload. Receivers accept payloads of unknown kinds and pass them on unchanged.
enum class PayloadKind : std::uint8_t {
  kCounter = 0,
  kWaveform12 = 1,
  kWaveform16 = 2,
  kRoi = 3,
  kReplay = 4,
  kBeamlets = 5,
};

/// Bits of EventHeader::flags. Receivers ignore all other bits.
enum EventFlag : std::uint16_t {
  kSuppressed = 1 << 0,       ///< the data are zero-suppressed
  kSegmented = 1 << 1,        ///< the board's data for this event need several WRITEs
  kOverlaps = 1 << 2,         ///< the sampling window overlaps that of the previous event
  kCut = 1 << 3,              ///< the data did not fit in the slot and were truncated
  kThrottled = 1 << 4,        ///< the board has lost events since the start of the run
  kNotSynchronised = 1 << 5,  ///< the board's clock is not synchronised
};

struct EventHeader {
  std::uint64_t event = 0;
  std::uint32_t run = 0;
  std::uint16_t flags = 0;  ///< bits of EventFlag
  std::uint16_t board = 0;
  EventType type = EventType::kUnknown;
  PayloadKind kind = PayloadKind::kCounter;
  EventTime time;            ///< time of the trigger
  std::uint32_t length = 0;  ///< payload bytes that follow this header
  std::uint32_t offset = 0;  ///< offset of this payload in the board's data for the event
  std::uint32_t total = 0;   ///< bytes of the board's data for the event
  std::uint16_t channels = 0;
  std::uint16_t samples = 0;
  std::uint32_t lost = 0;  ///< events that the board has lost since the start of the run
  std::uint32_t reserved = 0;
  std::uint32_t payload_crc = 0;

  bool operator==(const EventHeader&) const = default;
};

/// Result of read_event_header(). The values are in the order of the checks and are also used as indices.
enum class HeaderVerdict : std::uint8_t {
  kShort,       ///< the message is shorter than a header
  kMagic,       ///< the magic is not kEventMagic
  kVersion,     ///< the version is unknown
  kHeaderSize,  ///< the header size is not 16 words
  kHeaderCrc,   ///< wrong CRC of the header
  kTime,        ///< quarter_ns of the time is not below EventTime::kQuarters
  kBounds,      ///< offset + length exceeds the total
  kSize,        ///< the message is not 64 + length bytes long
  kPayloadCrc,  ///< wrong CRC of the payload
  kOk,
};
inline constexpr std::size_t kHeaderVerdicts = 10;

/// Returns the name that results contain: "short", "magic", …, "payload_crc", "ok".
const char* to_string(HeaderVerdict verdict);

/// Writes `header` with its CRC to the 64 bytes at `to`. `payload_crc` is copied from `header` and not
/// computed.
void write_event_header(const EventHeader& header, std::uint8_t* to);

/// Checks a received message, which consists of a header and its payload, and returns the first check that
/// fails, or kOk. If a check before kTime fails, the fields cannot be trusted and `header` is not changed.
HeaderVerdict read_event_header(ByteSpan message, EventHeader& header);
/// Like read_event_header(), but without the kPayloadCrc check, for receivers that compare the payload with a
/// prediction.
HeaderVerdict read_event_header_only(ByteSpan message, EventHeader& header);

/// Number of messages by verdict.
struct HeaderCounts {
  std::array<std::uint64_t, kHeaderVerdicts> by_verdict{};

  void add(HeaderVerdict v) { ++by_verdict[static_cast<std::size_t>(v)]; }
  std::uint64_t operator[](HeaderVerdict v) const { return by_verdict[static_cast<std::size_t>(v)]; }
  /// Messages whose verdict was not kOk.
  std::uint64_t rejected() const;
};

}  // namespace softfeb::detector
