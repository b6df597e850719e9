// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

/// Packetizer v2 (SURF's AxiStreamPacketizer2): frames of an AXI stream cut into packets, one per RSSI
/// segment. A packet is 8 bytes of header, payload padded to a multiple of 8, and 8 bytes of tail with a
/// CRC-32. Little-endian but for the CRC.
namespace softfeb::control {

/// What the CRC covers. It runs on over all packets of a frame.
enum class CrcMode : std::uint8_t { kNone = 0, kPayload = 1, kFull = 2 };

/// What a frame says of itself beside its bytes.
struct FrameTags {
  std::uint8_t first_user = 0x02;  ///< SSI: start of frame
  std::uint8_t last_user = 0;      ///< bit 0: EOFE, the frame is faulty
  std::uint8_t tdest = 0;
  std::uint8_t tid = 0;

  bool eofe() const { return (last_user & 1) != 0; }
  bool operator==(const FrameTags&) const = default;
};

/// Cuts frames. It holds counters and a CRC and none of the payload, so a frame may be of any length.
class Packetizer {
 public:
  static constexpr std::size_t kHeader = 8;
  static constexpr std::size_t kTail = 8;
  static constexpr std::size_t kMinPacket = kHeader + 8 + kTail;

  explicit Packetizer(CrcMode mode = CrcMode::kFull) : mode_(mode) {}

  /// Payload bytes that fit a packet of at most `packet` bytes: a multiple of 8, 0 where none fits.
  static constexpr std::size_t payload_room(std::size_t packet) {
    return packet < kMinPacket ? 0 : (packet - kHeader - kTail) / 8 * 8;
  }

  /// Makes the next packet of the frame around `payload` bytes (1…payload_room(out.size()); not of the last
  /// packet: a multiple of 8) that the caller has put at out[kHeader]. `last` ends the frame; the next packet
  /// begins another. Bytes of padding are zeroed. Returns the packet's size; 0 where `payload` breaks these
  /// rules.
  std::size_t seal(MutableByteSpan out, std::size_t payload, bool last, const FrameTags& tags = {});
  /// The same with a copy of `payload`.
  std::size_t write(MutableByteSpan out, ByteSpan payload, bool last, const FrameTags& tags = {});

  /// Forgets a frame half sent: the connection closed.
  void reset();

 private:
  CrcMode mode_;
  std::uint16_t count_ = 0;  ///< packets of this frame before
  bool in_frame_ = false;
  std::uint32_t crc_ = 0;
};

/// Puts frames together again. What is wrong is dropped, with the rest of its frame.
class Depacketizer {
 public:
  enum class Result : std::uint8_t {
    kPart,     ///< taken, the frame goes on
    kFrame,    ///< frame() is whole
    kDropped,  ///< wrong in itself, or no part of a frame begun; a frame begun is lost
  };

  /// Frames longer than `max_frame` bytes are dropped; no more is ever stored.
  explicit Depacketizer(std::size_t max_frame) : max_frame_(max_frame) {}

  Result push(ByteSpan packet);

  /// The frame that push() completed, until the next push(). A sender's EOFE is in its tags.
  ByteSpan frame() const { return frame_; }
  const FrameTags& tags() const { return tags_; }

  /// Forgets a frame half received and gives memory back: the connection closed.
  void reset();

  std::uint64_t dropped() const { return dropped_; }  ///< packets
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

}  // namespace softfeb::control
