// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/segments.hpp"
#include "roce/headers.hpp"
#include "roce/opcode.hpp"
#include "roce/psn.hpp"

#include <cstdint>

namespace softfeb::roce {

/// A request packet to be sent. The lower-layer headers, the payload bytes and the iCRC are not included.
struct RequestPacket {
  std::uint8_t opcode = 0;
  bool ack_req = false;
  bool solicited = false;
  bool retransmission = false;
  Psn psn = 0;
  Reth reth{};                       ///< valid when has_reth(opcode_operation(opcode))
  std::uint32_t immediate = 0;       ///< valid when has_immediate(opcode_operation(opcode))
  std::uint64_t payload_offset = 0;  ///< byte offset in the QP's payload stream
  std::uint32_t payload_length = 0;

  std::uint8_t pad_count() const { return static_cast<std::uint8_t>(-payload_length & 3U); }
  /// Size in bytes from BTH to pad. This is the size that congestion control counts.
  std::uint32_t transport_bytes() const {
    const Operation op = opcode_operation(opcode);
    return static_cast<std::uint32_t>(Bth::kSize + (has_reth(op) ? Reth::kSize : 0) +
                                      (has_immediate(op) ? ImmDt::kSize : 0)) +
           payload_length + pad_count();
  }
};

/// Maximum size in bytes of a request's transport headers: BTH, RETH, ImmDt.
inline constexpr std::size_t kMaxTransportHeaders = Bth::kSize + Reth::kSize + ImmDt::kSize;

/// Writes BTH, RETH and ImmDt of `p` to `out` for the queue pair `dest_qp`. Returns the number of bytes
/// (12…32).
std::size_t encode_request(const RequestPacket& p, Qpn dest_qp, std::uint16_t pkey, std::uint8_t* out);

/// A decoded request whose iCRC was verified. `payload` points into the received frame.
struct ReceivedRequest {
  Bth bth{};
  Reth reth{};
  std::uint32_t immediate = 0;
  Segments payload;                     ///< without pad
  bool congestion_experienced = false;  ///< whether the IP header is marked CE
};

/// Type of a transport packet (BTH to pad, without iCRC).
enum class TransportKind : std::uint8_t { kRequest, kAcknowledge, kCnp, kUnknown, kMalformed };

struct TransportPacket {
  TransportKind kind = TransportKind::kMalformed;
  /// For kRequest, all headers are decoded. For kAcknowledge, kCnp and kUnknown, only `bth` is decoded.
  ReceivedRequest request;
  Aeth aeth{};  ///< valid only for kAcknowledge
};

/// Parses `bytes` (BTH to pad), which are untrusted. A packet that is too short for its headers and pad is
/// kMalformed. An acknowledgement must consist of exactly BTH and AETH, without pad; a CNP needs at least a
/// BTH.
TransportPacket parse_transport(const Segments& bytes);
/// Like parse_transport(), for bytes that end with the iCRC, such as the content of a UDP datagram.
TransportPacket parse_transport_with_icrc(const Segments& content);

}  // namespace softfeb::roce
