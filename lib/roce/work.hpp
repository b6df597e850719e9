// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/opcode.hpp"
#include "roce/psn.hpp"

#include <cstdint>

namespace softfeb::roce {

/// Verb of a work request. The values are those of the firmware's work request bus (field "op" in
/// test/vectors/wire).
enum class WrOpcode : std::uint8_t { kWrite = 0, kWriteImm = 1, kSend = 2, kSendImm = 3 };

/// One message to send.
struct WorkRequest {
  std::uint64_t id = 0;
  WrOpcode opcode = WrOpcode::kWrite;
  bool signaled = true;  ///< requests a completion (and, on RC, an ACK)
  /// SE is set on the last packet if the message generates a completion at the receiver. In the firmware
  /// profile, SE is set on every packet.
  bool solicited = false;
  std::uint64_t remote_address = 0;
  std::uint32_t rkey = 0;
  std::uint32_t length = 0;  ///< bytes, at most kMaxMessage
  std::uint32_t immediate = 0;
  /// Byte offset of the message in the QP's payload stream. The requester adds the offset of each packet.
  std::uint64_t payload_offset = 0;
};

inline constexpr std::uint32_t kMaxMessage = 0x8000'0000;  ///< bytes

/// Completion status. The values are those that the firmware reports.
enum class WcStatus : std::uint8_t {
  kSuccess = 0,
  kLocalOperationError = 2,  ///< unsupported verb, length above kMaxMessage, or payload source error
  kFlushed = 5,
  kBadResponse = 7,
  kRemoteInvalidRequest = 9,
  kRemoteAccess = 10,
  kRemoteOperation = 11,
  kRetriesExceeded = 12,  ///< too many sequence NAKs or RNR NAKs
  kRemoteInvalidRd = 15,
  kTimeoutsExceeded = 20,
};

/// Completion opcode. The values are those that the firmware reports: 0 for SEND and 1 for WRITE. For most
/// unsupported verbs, the firmware reports other values.
using WcOpcode = std::uint8_t;

struct Completion {
  std::uint64_t id = 0;
  WcOpcode opcode = 0;
  WcStatus status = WcStatus::kSuccess;
  std::uint32_t length = 0;  ///< bytes
  Qpn qpn = 0;
};

/// Returns a description of `status` for messages to the user.
const char* to_string(WcStatus status);

/// Queue pair states. The values are those of the metadata bus (doc/metadata.md).
enum class QpState : std::uint8_t {
  kReset = 0,
  kInit = 1,
  kRtr = 2,
  kRts = 3,
  kSqd = 4,
  kErr = 6,
  kCreate = 8
};

/// Path MTU in bytes for a path MTU code of the verbs API and the metadata bus: 1…5 for 256…4096 bytes.
constexpr std::uint32_t pmtu_bytes(unsigned code) { return 128U << code; }
constexpr bool pmtu_legal(std::uint32_t bytes) {
  return bytes == 256 || bytes == 512 || bytes == 1024 || bytes == 2048 || bytes == 4096;
}

}  // namespace softfeb::roce
