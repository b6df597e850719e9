// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

namespace softfeb::roce {

/// A CRC that may have been prepared. As std::optional, but one word that is written and read whole: an
/// optional's halves are written one by one, and whoever reads them together waits until they are in the
/// cache, for each packet twice.
class PreparedCrc {
 public:
  constexpr PreparedCrc() = default;
  constexpr PreparedCrc(std::nullopt_t) {}
  constexpr PreparedCrc(std::uint32_t crc) : word_(crc) {}
  constexpr PreparedCrc(std::optional<std::uint32_t> crc) : word_(crc ? *crc : kNone) {}
  constexpr explicit operator bool() const { return word_ != kNone; }
  /// Requires one.
  constexpr std::uint32_t operator*() const { return static_cast<std::uint32_t>(word_); }

 private:
  static constexpr std::uint64_t kNone = UINT64_MAX;
  std::uint64_t word_ = kNone;
};

/// What a packet carries.
struct PacketPayload {
  const std::uint8_t* bytes = nullptr;  ///< null: the stream cannot give them
  PreparedCrc crc;                      ///< see PayloadStream::crc()
};

/// A stream of payload bytes as a QP sends it, or as its receiver expects it: message n's bytes stand at
/// [payload_offset, payload_offset + length) of the stream. Implementations never change what a given offset
/// holds, so a retransmission sends the same bytes.
class PayloadStream {
 public:
  virtual ~PayloadStream() = default;

  /// `length` (at most one path MTU) contiguous bytes at `offset`; null when the stream cannot give them
  /// (payload source error).
  virtual const std::uint8_t* bytes(std::uint64_t offset, std::uint32_t length) const = 0;

  /// CRC-32 register value (ISA-L convention, see roce/icrc.hpp) of those bytes followed by their 0–3 zero
  /// pad bytes, where it was prepared.
  virtual std::optional<std::uint32_t> crc(std::uint64_t /*offset*/, std::uint32_t /*length*/) const {
    return std::nullopt;
  }

  /// Both in one call, for the packet path. `length` is not 0.
  virtual PacketPayload packet(std::uint64_t offset, std::uint32_t length) const {
    return {bytes(offset, length), crc(offset, length)};
  }
};

}  // namespace softfeb::roce
