// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// SRPv3, SLAC's register protocol: messages and what can be wrong with them. A request is a header of five
/// words and, for writes, the data; its response is the same header, the data (of writes too) and a status
/// word. Words are 32 bits, little-endian. Rules and the order of checks are those of SURF's SrpV3AxiLite.
namespace softfeb::control::srp {

inline constexpr std::uint8_t kVersion = 3;
inline constexpr std::size_t kHeaderSize = 20;
inline constexpr std::size_t kStatusSize = 4;
/// Bytes of one access. The board bounds writes; reads have the same bound here.
inline constexpr std::size_t kMaxAccess = 4096;
inline constexpr std::size_t kMaxMessage = kHeaderSize + kMaxAccess + kStatusSize;

enum class Opcode : std::uint8_t { kRead = 0, kWrite = 1, kPostedWrite = 2, kNull = 3 };

/// Bits of the status word; bits 1:0 are the AXI response (BusStatus).
inline constexpr std::uint32_t kAxiResponse = 0x3;
inline constexpr std::uint32_t kSizeAlignment = 1U << 5;   ///< size is no multiple of 4
inline constexpr std::uint32_t kMisaligned = 1U << 6;      ///< address is no multiple of 4
inline constexpr std::uint32_t kAddressTooHigh = 1U << 7;  ///< or its end is above 32 bits
inline constexpr std::uint32_t kBusTimeout = 1U << 8;
inline constexpr std::uint32_t kEofe = 1U << 9;      ///< the request's frame was marked as damaged
inline constexpr std::uint32_t kFraming = 1U << 10;  ///< length does not match opcode and size
inline constexpr std::uint32_t kWrongVersion = 1U << 11;
inline constexpr std::uint32_t kTooLarge = 1U << 12;
inline constexpr std::uint32_t kBusStuck = 1U << 13;  ///< the board's, latched by a bus timeout; never ours

/// What a status word says, for people: "decode error: no register at this address". Empty for 0.
std::string status_text(std::uint32_t status);

using Header = std::array<std::uint8_t, kHeaderSize>;

struct Request {
  Header header{};  ///< as received, to be sent back; words that did not come are 0
  Opcode opcode = Opcode::kRead;
  /// The board then goes on after a word that fails, which reads as all ones, and does not tell.
  bool ignore_bus_errors = false;
  std::uint32_t id = 0;
  std::uint64_t address = 0;
  /// Bytes to be read or written. 0 for a null request and where `status` forbids any access.
  std::size_t access = 0;
  /// Of a write: what is to be written, `access` bytes of the message.
  ByteSpan data;
  /// What is wrong already. With kFraming alone `access` may be more than 0: the board has written the words
  /// before it finds a write to be of the wrong length.
  std::uint32_t status = 0;

  bool answered() const { return opcode != Opcode::kPostedWrite; }
};

/// Nothing for less than a word. `eofe`: the frame's end said that it is damaged.
std::optional<Request> parse_request(ByteSpan message, bool eofe);

/// A client's request; `size` bytes, of which a write has `data`. A null request has size 4 and no data.
/// `bus_timeout` in units of 100 ms, 0 for none.
std::vector<std::uint8_t> make_request(Opcode opcode, std::uint32_t id, std::uint32_t address,
                                       std::size_t size, ByteSpan data, std::uint8_t bus_timeout = 10);

struct Response {
  Header header{};
  std::uint32_t id = 0;
  std::uint32_t status = 0;
  ByteSpan data;  ///< of the message

  /// Whether this header answers that one: word 0 but for its capability bits, and words 1 to 4.
  bool answers(const Header& request) const;
};

/// Nothing where the length is none of a response.
std::optional<Response> parse_response(ByteSpan message);

}  // namespace softfeb::control::srp
