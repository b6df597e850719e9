// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "roce/frame.hpp"
#include "roce/headers.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::conformance {

/// BTH opcodes of RC responses, except acknowledgements.
inline constexpr std::uint8_t kOpcodeReadFirst = 0x0d;
inline constexpr std::uint8_t kOpcodeReadLast = 0x0f;
inline constexpr std::uint8_t kOpcodeReadOnly = 0x10;
inline constexpr std::uint8_t kOpcodeAtomicAck = 0x12;

/// A packet that the target sent.
struct Answer {
  Time at = 0;
  std::uint8_t opcode = 0;
  roce::Psn psn = 0;
  /// AETH of an acknowledgement, a READ response or an atomic acknowledgement; empty if the packet has none.
  std::optional<roce::Aeth> aeth;
  roce::Qpn dest_qp = 0;
  roce::IpAddress source_ip;
  roce::Bth bth{};
  std::size_t payload = 0;  ///< bytes after the headers, without pad and iCRC
  bool icrc_right = false;
  bool truncated = false;           ///< the packet is shorter than its headers and pad
  std::vector<std::uint8_t> frame;  ///< the whole frame

  bool is_ack() const { return aeth && aeth->kind() == roce::AethKind::kAck; }
  bool is_cnp() const { return opcode == 0x81; }
};

/// Reads a RoCEv2 packet from the network. Its bytes are untrusted. `whole` is the frame, starting with the
/// Ethernet header; `frame` is the result of parse_frame() for it. Returns std::nullopt if the frame has no
/// BTH.
std::optional<Answer> read_answer(const Segments& whole, const roce::ParsedFrame& frame, Time at);

/// Names the opcode of a packet, in either direction: "WRITE ONLY", "ACK", "NAK 0x60", "opcode 0x15".
std::string describe_opcode(std::uint8_t opcode, const std::optional<roce::Aeth>& aeth = std::nullopt);
/// Describes a PSN relative to the queue pair's first PSN (e): "e", "e+3", "e-1", or "0x000102" if it is far
/// away.
std::string describe_psn(roce::Psn psn, roce::Psn first);

}  // namespace softfeb::conformance
