// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/expression.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace softfeb::conformance {

/// Kind of a request. The letters are those of the notation (doc/conformance.md).
enum class PacketKind : std::uint8_t {
  kOnly,          ///< O: RDMA WRITE ONLY
  kOnlyImm,       ///< OI: RDMA WRITE ONLY with immediate
  kFirst,         ///< F: RDMA WRITE FIRST
  kMiddle,        ///< M: RDMA WRITE MIDDLE
  kLast,          ///< L: RDMA WRITE LAST
  kLastImm,       ///< LI: RDMA WRITE LAST with immediate
  kSendFirst,     ///< SEND_FIRST
  kSendMiddle,    ///< SEND_MIDDLE
  kSendLast,      ///< SEND_LAST
  kSendOnly,      ///< SEND_ONLY
  kSendOnlyInv,   ///< SEND_ONLY_INV: SEND ONLY with invalidate
  kRead,          ///< READ: RDMA READ request
  kCompareSwap,   ///< CMP_SWAP
  kFetchAdd,      ///< FETCH_ADD
  kCnp,           ///< CNP
  kReadResponse,  ///< READ_RESPONSE: RDMA READ response ONLY
  kAcknowledge,   ///< ACKNOWLEDGE
  kAtomicAck,     ///< ATOMIC_ACK
};

/// A field that an option of the notation changes.
enum class Field : std::uint8_t {
  // BTH
  kOpcode,
  kSolicited,
  kMigReq,
  kPadCount,
  kTver,
  kPkey,
  kByte4,  ///< FECN, BECN and reserved bits
  kDestQp,
  kAckReq,
  kReserved7,  ///< the seven reserved bits before the PSN
  kPsn,
  // extended headers and payload
  kRegion,  ///< number of the region to which VA and rkey belong
  kAt,      ///< VA as an offset from the start of the region
  kVa,
  kRkey,
  kLength,  ///< length of the message in the RETH
  kImmediate,
  kSwap,     ///< operand of an atomic request
  kCompare,  ///< compare operand of an atomic request
  kFill,     ///< value of all payload bytes
  kPayload,  ///< the payload byte with the index Override::index
  kPad,      ///< the pad byte with the index Override::index
  // IP
  kVersion,
  kIhl,  ///< IPv4: header length in words; words beyond 5 are NOP options
  kTos,  ///< TOS; in IPv6, the traffic class
  kDscp,
  kEcn,
  kId,
  kDf,
  kMf,
  kOffset,  ///< IPv4: fragment offset in units of 8 bytes
  kTtl,     ///< TTL; in IPv6, the hop limit
  kFlowLabel,
  kIpChecksum,
  kSourceIp,
  kDestIp,
  // UDP
  kSourcePort,
  kDestPort,
  kUdpLength,
  kUdpChecksum,
  // Ethernet
  kDestMac,
  kSourceMac,
  kVid,
  kPcp,
  kRoceV1,  ///< GRH and EtherType 0x8915 instead of IP and UDP
  // shape of the frame
  kCut,    ///< the transport packet is cut to this many bytes before the iCRC is computed
  kTrail,  ///< this many bytes of Ethernet padding are added after the IP packet
  kSplit,  ///< the packet becomes two IP fragments, the first with this many bytes of IP payload
  kIcrc,
};

/// How an option changes its field.
struct Override {
  enum class Mode : std::uint8_t {
    kSet,
    kAdd,   ///< the value is added to the correct one
    kXor,   ///< the value is XORed with the correct one
    kWord,  ///< `word` replaces the value
  };
  Field field = Field::kOpcode;
  Mode mode = Mode::kSet;
  Expression value;
  std::string word;
  std::uint32_t index = 0;  ///< for kPayload and kPad, index of the byte
  bool late = false;        ///< `~`: changed on the way, after the iCRC was computed

  /// Returns the new value of the field. `right` is the correct value. Must not be called for kWord.
  std::uint64_t applied(std::uint64_t right, const Symbols& symbols) const {
    const std::uint64_t number = value.value(symbols);
    return mode == Mode::kAdd ? right + number : mode == Mode::kXor ? right ^ number : number;
  }
  bool operator==(const Override&) const = default;
};

/// A packet of a case, as written in the catalogue: `KIND(PSN[,SIZE][,OPTION]…)`, followed by `!` if the
/// AckReq bit is set. Examples: `O(e,64)!`, `F(e,P,len=3P)`, `O(e,8,rkey=bad)!`, `O(e,8,~ttl=1)!`.
struct PacketSpec {
  PacketKind kind = PacketKind::kOnly;
  Expression psn;
  std::optional<Expression>
      size;  ///< payload in bytes; default: 8 for a packet that is a whole message, otherwise the path MTU
  bool ack_req = false;
  std::vector<Override> overrides;
  std::string text;  ///< the packet in the notation

  const Override* find(Field field) const;
  /// Returns the same packet with AckReq and without its options, except those that determine what is written
  /// and where: `len`, `at`, `region`, `imm` and `fill`. A case sends the result after this packet, to check
  /// that the target dropped this packet without any other effect. Only for packets from parse_packets().
  PacketSpec unspoilt() const;
};

/// Parses packets separated by spaces. Throws NotationError.
std::vector<PacketSpec> parse_packets(std::string_view text);

/// Returns the name of a kind in the notation.
std::string_view name_of(PacketKind kind);
/// Returns the operation of the kind, the lower five bits of the BTH opcode. Returns 0x81 for kCnp.
std::uint8_t operation_of(PacketKind kind);
/// True if packets of this kind have a payload by default, that is, if their size is not given.
bool has_payload_by_default(PacketKind kind);
/// True for packets that carry a RETH.
bool carries_reth(PacketKind kind);
bool carries_immediate(PacketKind kind);
bool carries_atomic_header(PacketKind kind);
bool begins(PacketKind kind);  ///< true for FIRST and ONLY
bool ends(PacketKind kind);    ///< true for LAST and ONLY
bool is_write(PacketKind kind);

}  // namespace softfeb::conformance
