// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

namespace softfeb::roce {

/// An optional precomputed CRC in a single word. std::optional would store the value and its flag separately.
/// Loading both at once, which happens twice per packet, would then stall, because the CPU cannot forward two
/// stores to one load.
class PreparedCrc {
 public:
  constexpr PreparedCrc() = default;
  constexpr PreparedCrc(std::nullopt_t) {}
  constexpr PreparedCrc(std::uint32_t crc) : word_(crc) {}
  constexpr PreparedCrc(std::optional<std::uint32_t> crc) : word_(crc ? *crc : kNone) {}
  constexpr explicit operator bool() const { return word_ != kNone; }
  /// Requires a value.
  constexpr std::uint32_t operator*() const { return static_cast<std::uint32_t>(word_); }

 private:
  static constexpr std::uint64_t kNone = UINT64_MAX;
  std::uint64_t word_ = kNone;
};

/// Payload of a packet.
struct PacketPayload {
  const std::uint8_t* bytes = nullptr;  ///< null if the stream cannot provide the bytes
  PreparedCrc crc;                      ///< see PayloadStream::crc()
};

/// The stream of payload bytes that a QP sends or that its receiver expects. A message consists of the bytes
/// at [payload_offset, payload_offset + length). The bytes of a message must not change before the message
/// has completed, so that a retransmission sends the same bytes.
class PayloadStream {
 public:
  virtual ~PayloadStream() = default;

  /// Returns `length` contiguous bytes at `offset`; `length` is at most one path MTU. The stream owns these
  /// bytes. Returns null if the stream cannot provide them (payload source error).
  virtual const std::uint8_t* bytes(std::uint64_t offset, std::uint32_t length) const = 0;

  /// CRC-32 of the bytes that bytes() returns, followed by 0–3 zero pad bytes. roce/icrc.hpp describes the
  /// convention. Returns std::nullopt if the stream has no precomputed CRC for these bytes.
  virtual std::optional<std::uint32_t> crc(std::uint64_t /*offset*/, std::uint32_t /*length*/) const {
    return std::nullopt;
  }

  /// Combines bytes() and crc(), for the packet path. `length` must not be 0.
  virtual PacketPayload packet(std::uint64_t offset, std::uint32_t length) const {
    return {bytes(offset, length), crc(offset, length)};
  }
};

}  // namespace softfeb::roce
