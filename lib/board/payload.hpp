// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "board/message_plan.hpp"
#include "roce/payload.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

/// What the board sends: payload sources. Their bytes lie in an arena that the caller owns (memory registered
/// with the port, or any memory in tests) and are sent from there without copying; their CRCs are prepared
/// for the packets of one message length and one path MTU, so that the iCRC is made without reading the
/// payload.
namespace softfeb::board {

/// Longest payload of a packet: the largest path MTU.
inline constexpr std::uint32_t kMaxPacketPayload = 4096;

enum class PayloadKind : std::uint8_t {
  kCounter,  ///< byte k of the stream = k mod 256: the firmware's DmaTestPatternServer (WIRE.md section 4)
  kFile,     ///< a file, message by message
  kPrbs31,   ///< PRBS-31, a window of it repeated
  kZero,
};

struct PayloadSpec {
  PayloadKind kind = PayloadKind::kCounter;
  std::uint32_t message_length = 0;  ///< bytes of a message, 0…2 GiB; a file needs at least 1
  std::uint32_t pmtu = 4096;         ///< of the QPs that will send it: 256, 512, 1024, 2048 or 4096
  std::string path;                  ///< kFile
  std::uint32_t seed =
      0x7fff'ffff;  ///< kPrbs31: the register before the first bit, 1…2^31 − 1, bit 0 the oldest
  std::uint64_t window = 16U << 20;  ///< kPrbs31: bytes before the sequence repeats, at least 4096; rounded
                                     ///< down (payload_prbs31.hpp)
};

/// A source cannot be had. what() names the file or the setting, and the fix.
class PayloadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Life: make_payload(), an arena of arena_bytes(), fill() once, then only bytes() and crc(), from any number
/// of threads.
class PayloadSource : public roce::PayloadStream {
 public:
  /// Bytes of arena that fill() needs.
  virtual std::size_t arena_bytes() const = 0;

  /// Writes the payload into the first arena_bytes() of `arena` and prepares the CRCs. May block (files) and
  /// allocate: not for the packet path. `arena` must outlive the source and must not change after. Throws
  /// PayloadError.
  virtual void fill(MutableByteSpan arena) = 0;

  /// Where message n lies in the stream.
  virtual const MessagePlan& plan() const = 0;
};

/// Throws PayloadError where `spec` contradicts itself or its file is missing, empty or unreadable.
std::unique_ptr<PayloadSource> make_payload(const PayloadSpec& spec);

/// The counter for messages of any lengths and any path MTU: of queue pairs that the metadata bus makes.
std::unique_ptr<PayloadSource> make_test_pattern();

/// fill()'s guard against an arena that is too small: throws PayloadError.
MutableByteSpan checked_arena(MutableByteSpan arena, std::size_t needed);

}  // namespace softfeb::board
