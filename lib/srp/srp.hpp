// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// SRPv3, SLAC's register protocol: messages and their errors. A request consists of a five-word header and,
/// for writes, the data. Its response consists of the same header, the data (also for writes) and a status
/// word. Words are 32 bits, little-endian. The rules and the order of the checks are those of SURF's
/// SrpV3AxiLite.
namespace softfeb::srp {

inline constexpr std::uint8_t kVersion = 3;
inline constexpr std::size_t kHeaderSize = 20;
inline constexpr std::size_t kStatusSize = 4;
/// Maximum size of one access in bytes. The board limits only writes; we apply the same limit to reads.
inline constexpr std::size_t kMaxAccess = 4096;
inline constexpr std::size_t kMaxMessage = kHeaderSize + kMaxAccess + kStatusSize;

enum class Opcode : std::uint8_t { kRead = 0, kWrite = 1, kPostedWrite = 2, kNull = 3 };

/// Bits of the status word; bits 1:0 are the AXI response (BusStatus).
inline constexpr std::uint32_t kAxiResponse = 0x3;
inline constexpr std::uint32_t kSizeAlignment = 1U << 5;   ///< size is not a multiple of 4
inline constexpr std::uint32_t kMisaligned = 1U << 6;      ///< address is not a multiple of 4
inline constexpr std::uint32_t kAddressTooHigh = 1U << 7;  ///< address or end of the access exceeds 32 bits
inline constexpr std::uint32_t kBusTimeout = 1U << 8;
inline constexpr std::uint32_t kEofe = 1U << 9;      ///< the request frame was marked with EOFE
inline constexpr std::uint32_t kFraming = 1U << 10;  ///< length does not match opcode and size
inline constexpr std::uint32_t kWrongVersion = 1U << 11;
inline constexpr std::uint32_t kTooLarge = 1U << 12;
inline constexpr std::uint32_t kBusStuck = 1U << 13;  ///< latched by a bus timeout; never set by softfeb

/// Describes a status word, for example "decode error: no register at this address". Empty for 0.
std::string status_text(std::uint32_t status);

using Header = std::array<std::uint8_t, kHeaderSize>;

struct Request {
  Header header{};  ///< as received, to be returned in the response; missing words are 0
  Opcode opcode = Opcode::kRead;
  /// If set, the board continues after a failed word and reports no error. A failed word reads as all ones.
  bool ignore_bus_errors = false;
  std::uint32_t id = 0;
  std::uint64_t address = 0;
  /// Number of bytes to read or write. 0 for a null request, and if an error in `status` prevents any
  /// access.
  std::size_t access = 0;
  /// Data of a write: `access` bytes that point into the message.
  ByteSpan data;
  /// Errors found so far. If kFraming is the only error of a write, `access` may still be above 0: when the
  /// board detects that the write has the wrong length, it has already written the preceding words.
  std::uint32_t status = 0;

  bool answered() const { return opcode != Opcode::kPostedWrite; }
};

/// Returns nullopt if the message is shorter than one word. `eofe` means that the frame ended with EOFE.
std::optional<Request> parse_request(ByteSpan message, bool eofe);

/// Builds a client's request for `size` bytes, with `data` for writes. A null request has size 4 and no data.
/// `bus_timeout` is in units of 100 ms; 0 disables it.
std::vector<std::uint8_t> make_request(Opcode opcode, std::uint32_t id, std::uint32_t address,
                                       std::size_t size, ByteSpan data, std::uint8_t bus_timeout = 10);

struct Response {
  Header header{};
  std::uint32_t id = 0;
  std::uint32_t status = 0;
  ByteSpan data;  ///< refers to the message

  /// True if this is the response to `request`: words 0 to 4 of the headers are equal, except for the
  /// capability bits of word 0.
  bool answers(const Header& request) const;
};

/// Returns nullopt if no response can have this length.
std::optional<Response> parse_response(ByteSpan message);

}  // namespace softfeb::srp
