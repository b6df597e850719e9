// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

/// Packetizer v2 (SURF's AxiStreamPacketizer2): splits the frames of an AXI stream into packets, one per RSSI
/// segment. A packet consists of an 8-byte header, the payload padded to a multiple of 8 bytes, and an 8-byte
/// tail with a CRC-32. All fields are little-endian except the CRC.
namespace softfeb::srp {

/// Coverage of the CRC, which continues across all packets of a frame.
enum class CrcMode : std::uint8_t { kNone = 0, kPayload = 1, kFull = 2 };

/// Sideband signals of a frame.
struct FrameTags {
  std::uint8_t first_user = 0x02;  ///< bit 1: SOF (start of frame) of SSI
  std::uint8_t last_user = 0;      ///< bit 0: EOFE (end of frame with error)
  std::uint8_t tdest = 0;
  std::uint8_t tid = 0;

  bool eofe() const { return (last_user & 1) != 0; }
  bool operator==(const FrameTags&) const = default;
};

/// Splits frames into packets. Stores counters and the CRC but no payload, so frames may have any length.
class Packetizer {
 public:
  static constexpr std::size_t kHeader = 8;
  static constexpr std::size_t kTail = 8;
  static constexpr std::size_t kMinPacket = kHeader + 8 + kTail;

  explicit Packetizer(CrcMode mode = CrcMode::kFull) : mode_(mode) {}

  /// Maximum payload in bytes of a packet of at most `packet` bytes. This is a multiple of 8, or 0 if the
  /// packet is too small for any payload.
  static constexpr std::size_t payload_room(std::size_t packet) {
    return packet < kMinPacket ? 0 : (packet - kHeader - kTail) / 8 * 8;
  }

  /// Builds the next packet of the frame around `payload` bytes that the caller has placed at out[kHeader].
  /// `payload` is 1…payload_room(out.size()) and, except in the last packet, a multiple of 8. `last` ends the
  /// frame; the next packet then starts a new frame. Zeroes the padding. Returns the packet size, or 0 if
  /// `payload` breaks these rules.
  std::size_t seal(MutableByteSpan out, std::size_t payload, bool last, const FrameTags& tags = {});
  /// Same as seal(), but first copies `payload` to `out`.
  std::size_t write(MutableByteSpan out, ByteSpan payload, bool last, const FrameTags& tags = {});

  /// Discards a partly sent frame. Call it when the connection has closed.
  void reset();

 private:
  CrcMode mode_;
  std::uint16_t count_ = 0;  ///< number of earlier packets of this frame
  bool in_frame_ = false;
  std::uint32_t crc_ = 0;
};

/// Reassembles frames. An invalid packet is dropped together with the rest of its frame.
class Depacketizer {
 public:
  enum class Result : std::uint8_t {
    kPart,   ///< accepted; the frame is not complete yet
    kFrame,  ///< frame() is complete
    /// The packet is malformed, is not the next packet of the frame, or makes the frame too long. A partly
    /// received frame is lost.
    kDropped,
  };

  /// Frames longer than `max_frame` bytes are dropped. No more than `max_frame` bytes are stored.
  explicit Depacketizer(std::size_t max_frame) : max_frame_(max_frame) {}

  Result push(ByteSpan packet);

  /// The frame that push() completed, valid until the next push() or reset(). The sender's EOFE is in tags().
  ByteSpan frame() const { return frame_; }
  const FrameTags& tags() const { return tags_; }

  /// Discards a partly received frame and frees its memory. Call it when the connection has closed.
  void reset();

  std::uint64_t dropped() const { return dropped_; }  ///< number of dropped packets
  bool in_frame() const { return in_frame_; }

 private:
  struct Parts;

  static bool parse(ByteSpan packet, Parts& parts);
  bool continues(const Parts& parts) const;
  void begin(const Parts& parts);
  bool take(ByteSpan packet, const Parts& parts);

  std::size_t max_frame_;
  std::vector<std::uint8_t> frame_;
  FrameTags tags_;
  CrcMode mode_ = CrcMode::kFull;
  std::uint16_t count_ = 0;
  bool in_frame_ = false;
  std::uint32_t crc_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace softfeb::srp
