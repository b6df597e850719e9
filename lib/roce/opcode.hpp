// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace softfeb::roce {

/// Transport service of a queue pair. The value is the upper three bits of the BTH opcode (IBA table 38).
enum class Transport : std::uint8_t { kRc = 0, kUc = 1 };

/// Operation: the lower five bits of the BTH opcode, for any transport service (IBA table 38).
enum class Operation : std::uint8_t {
  kSendFirst = 0x00,
  kSendMiddle = 0x01,
  kSendLast = 0x02,
  kSendLastImm = 0x03,
  kSendOnly = 0x04,
  kSendOnlyImm = 0x05,
  kWriteFirst = 0x06,
  kWriteMiddle = 0x07,
  kWriteLast = 0x08,
  kWriteLastImm = 0x09,
  kWriteOnly = 0x0a,
  kWriteOnlyImm = 0x0b,
  kAcknowledge = 0x11,
};

/// BTH opcodes that are compared as a whole. The CNP opcode does not consist of a transport service and an
/// operation, so it cannot be split.
inline constexpr std::uint8_t kOpcodeRcAck = 0x11;
inline constexpr std::uint8_t kOpcodeCnp = 0x81;
/// BTH opcode of a control frame, whose UDP payload consists only of a congestion control header, a BTH and
/// an iCRC (congestion_header.hpp). The opcode is in the manufacturer-specific range (IBA table 38).
inline constexpr std::uint8_t kOpcodeCongestionControl = 0xc0;

constexpr std::uint8_t opcode(Transport t, Operation op) {
  return static_cast<std::uint8_t>((static_cast<unsigned>(t) << 5) | static_cast<unsigned>(op));
}
constexpr std::uint8_t opcode_service(std::uint8_t op) { return op >> 5; }
constexpr Operation opcode_operation(std::uint8_t op) { return static_cast<Operation>(op & 0x1f); }

constexpr bool is_send(Operation op) { return static_cast<unsigned>(op) <= 0x05; }
constexpr bool is_write(Operation op) {
  return static_cast<unsigned>(op) >= 0x06 && static_cast<unsigned>(op) <= 0x0b;
}
/// True for a SEND or WRITE request, with or without immediate.
constexpr bool is_request(Operation op) { return static_cast<unsigned>(op) <= 0x0b; }
constexpr bool is_only(Operation op) {
  return op == Operation::kSendOnly || op == Operation::kSendOnlyImm || op == Operation::kWriteOnly ||
         op == Operation::kWriteOnlyImm;
}
/// True for READ and atomic responses on RC (IBA table 38: 0x0d…0x10, 0x12). Our requesters never send
/// requests that cause such responses.
constexpr bool is_foreign_response(std::uint8_t op) { return (op >= 0x0d && op <= 0x10) || op == 0x12; }
/// True if the packet begins a message (FIRST or ONLY).
constexpr bool begins_message(Operation op) {
  return op == Operation::kSendFirst || op == Operation::kWriteFirst || is_only(op);
}
/// True if the packet ends a message (LAST or ONLY).
constexpr bool ends_message(Operation op) {
  return is_only(op) || op == Operation::kSendLast || op == Operation::kSendLastImm ||
         op == Operation::kWriteLast || op == Operation::kWriteLastImm;
}
constexpr bool has_reth(Operation op) { return is_write(op) && begins_message(op); }
constexpr bool has_immediate(Operation op) {
  return op == Operation::kSendLastImm || op == Operation::kSendOnlyImm || op == Operation::kWriteLastImm ||
         op == Operation::kWriteOnlyImm;
}

}  // namespace softfeb::roce
