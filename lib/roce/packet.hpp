// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/segments.hpp"
#include "roce/headers.hpp"
#include "roce/opcode.hpp"
#include "roce/psn.hpp"

#include <cstdint>

namespace softfeb::roce {

/// A request packet a requester wants sent: everything but the path's headers, the payload's bytes and the
/// iCRC.
struct RequestPacket {
  std::uint8_t opcode = 0;
  bool ack_req = false;
  bool solicited = false;
  bool retransmission = false;
  Psn psn = 0;
  Reth reth{};                       ///< valid when has_reth(opcode_operation(opcode))
  std::uint32_t immediate = 0;       ///< valid when has_immediate(opcode_operation(opcode))
  std::uint64_t payload_offset = 0;  ///< in the QP's payload stream
  std::uint32_t payload_length = 0;

  std::uint8_t pad_count() const { return static_cast<std::uint8_t>(-payload_length & 3U); }
  /// BTH to pad: what congestion control counts of a packet.
  std::uint32_t transport_bytes() const {
    const Operation op = opcode_operation(opcode);
    return static_cast<std::uint32_t>(Bth::kSize + (has_reth(op) ? Reth::kSize : 0) +
                                      (has_immediate(op) ? ImmDt::kSize : 0)) +
           payload_length + pad_count();
  }
};

/// Longest run of transport headers a request carries: BTH, RETH, ImmDt.
inline constexpr std::size_t kMaxTransportHeaders = Bth::kSize + Reth::kSize + ImmDt::kSize;

/// Writes BTH, RETH and ImmDt of `p` for the queue pair `dest_qp`; returns how many bytes (12…32).
std::size_t encode_request(const RequestPacket& p, Qpn dest_qp, std::uint16_t pkey, std::uint8_t* out);

/// A request that arrived: decoded, iCRC already found right. Refers to the frame's bytes.
struct ReceivedRequest {
  Bth bth{};
  Reth reth{};
  std::uint32_t immediate = 0;
  Segments payload;                     ///< without pad
  bool congestion_experienced = false;  ///< the IP header says CE
};

/// A transport packet (BTH … pad, without iCRC) taken apart as far as its opcode is known.
enum class TransportKind : std::uint8_t { kRequest, kAcknowledge, kCnp, kUnknown, kMalformed };

struct TransportPacket {
  TransportKind kind = TransportKind::kMalformed;
  ReceivedRequest request;  ///< kRequest: all of it; otherwise request.bth alone
  Aeth aeth{};              ///< kAcknowledge
};

/// Takes `bytes` (BTH to pad, hostile) apart. kMalformed: shorter than its headers and pad say.
/// An acknowledgement is exactly BTH + AETH (WIRE.md section 3), a CNP at least BTH.
TransportPacket parse_transport(const Segments& bytes);
/// The same of bytes that end with the iCRC: a datagram's content.
TransportPacket parse_transport_with_icrc(const Segments& content);

}  // namespace softfeb::roce
