// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "roce/opcode.hpp"
#include "roce/psn.hpp"

#include <cstdint>
#include <optional>

/// lib/faults: faults that are injected into the packets of a port or of a simulated link. A FaultRule
/// selects packets and specifies what is done to them; FaultRules (fault_rules.hpp) decides which rules apply
/// to a packet; RuleActions (rule_actions.hpp) carries out the rules; edit.hpp changes the bytes; FaultPlan
/// (fault_plan.hpp) decides the random faults of a port. May include roce and base only. The packets belong
/// to other libraries, such as lib/dataplane (fault_injector.hpp) and lib/fabric (link_rules.hpp).
/// doc/faults.md describes the rules.
namespace softfeb::faults {

enum class Direction : std::uint8_t {
  kTx,  ///< from the requester to the responder
  kRx,  ///< from the responder to the requester
};

/// PSNs from `first` to `last`, modulo 2^24.
struct PsnRange {
  bool relative = false;  ///< `first` and `last` are relative to the first PSN of the queue pair
  roce::Psn first = 0;
  roce::Psn last = 0;

  /// Returns the position of `psn` in the range. A result of size() or more means that `psn` is not in the
  /// range. `initial` is the first PSN of the queue pair.
  constexpr std::uint32_t position(roce::Psn psn, roce::Psn initial) const {
    return (psn - first - (relative ? initial : 0)) & roce::kPsnMask;
  }
  constexpr std::uint32_t size() const { return ((last - first) & roce::kPsnMask) + 1; }
  constexpr bool contains(roce::Psn psn, roce::Psn initial) const { return position(psn, initial) < size(); }
};

/// Positions from `first` to `last`, counted from 0.
struct PositionRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

enum class MessagePart : std::uint8_t { kAll, kFirst, kLast, kNumber };

/// Kinds of responses. kNak stands for any acknowledgement packet that is neither an ACK nor an RNR NAK.
enum class ResponseKind : std::uint8_t { kAck, kNak, kRnr, kCnp };

/// The conditions under which a rule selects a packet. All conditions that are set must hold. Packets,
/// messages and rounds are counted separately for each queue pair.
struct PacketSelector {
  static constexpr std::uint32_t kMaxIteration = 255;

  Direction direction = Direction::kTx;
  std::optional<PsnRange> psn;
  /// Position among the packets of the queue pair; CNPs are not counted.
  std::optional<PositionRange> packet;
  std::optional<std::uint32_t> every;    ///< every n-th packet that meets all conditions except `count`
  std::optional<std::uint64_t> message;  ///< number of the message that contains the packet, from 0
  MessagePart part = MessagePart::kAll;  ///< position of the packet in that message
  std::uint32_t part_number = 0;         ///< for kNumber: position in the message, from 0
  std::optional<roce::Operation> operation;
  std::optional<ResponseKind> response;  ///< CNPs are selected only by kCnp
  /// Transmission that the rule selects: 1 is the first packet with this PSN, 2 the second, and so on. At
  /// most kMaxIteration; std::nullopt means any transmission.
  std::optional<std::uint32_t> iteration;
  /// Transmission round of the queue pair. The round is incremented whenever the PSN of a packet does not
  /// directly follow that of the previous packet, and is reset to 1 at the first packet of a message.
  std::optional<std::uint32_t> round;
  std::optional<std::uint64_t> count;  ///< maximum number of packets that the rule selects per queue pair
};

/// Kinds of actions. All actions on one packet are carried out in the order of the enumerators.
enum class ActionKind : std::uint8_t {
  kMarkCe,
  kSetEcn,
  kSetDscp,
  kSetTtl,
  kCorrupt,
  kTruncate,
  kDuplicate,
  kReorder,
  kDelay,
  kDrop,
  kReplay,
};

/// Bytes that kCorrupt changes.
enum class CorruptTarget : std::uint8_t {
  kIcrc,
  kPayload,  ///< payload byte `offset`
  kPad,      ///< first pad byte
  kByte,     ///< byte `offset` of the Ethernet frame
  kBthOpcode,
  kBthPsn,
  kBthDestQp,
  kBthPkey,
  kBthByte4,
  kRethVa,
  kRethRkey,
  kRethLength,
  kImmediate,
  kIpId,
  kIpChecksum,
  kUdpSport,
};

/// Width of a target in bytes. The mask of a target must fit in this width.
constexpr unsigned width_of(CorruptTarget target) {
  switch (target) {
    case CorruptTarget::kRethVa:
      return 8;
    case CorruptTarget::kIcrc:
    case CorruptTarget::kRethRkey:
    case CorruptTarget::kRethLength:
    case CorruptTarget::kImmediate:
      return 4;
    case CorruptTarget::kBthPsn:
    case CorruptTarget::kBthDestQp:
      return 3;
    case CorruptTarget::kBthPkey:
    case CorruptTarget::kIpId:
    case CorruptTarget::kIpChecksum:
    case CorruptTarget::kUdpSport:
      return 2;
    default:
      return 1;
  }
}

struct FaultAction {
  ActionKind kind = ActionKind::kDrop;
  /// The value for kSetEcn, kSetDscp and kSetTtl; the number of bytes to remove from the end for kTruncate;
  /// the number of additional copies for kDuplicate; the number of later packets that overtake the packet for
  /// kReorder.
  std::uint32_t value = 0;
  Time delay = 0;  ///< for kDelay: the time by which the packet is delayed
  CorruptTarget target = CorruptTarget::kIcrc;
  std::uint32_t offset = 0;  ///< for targets kPayload and kByte: offset in bytes
  std::uint64_t mask = 0;    ///< for kCorrupt: mask that is XORed with the target, in network byte order
  bool right_icrc = false;   ///< for kCorrupt: whether the iCRC is recomputed after the change
  PsnRange old;              ///< for kReplay: PSN of the packet that is sent again; `first` equals `last`
};

struct FaultRule {
  PacketSelector on;
  FaultAction action;
};

/// Outcome of a rule.
struct RuleCounters {
  std::uint64_t hits = 0;     ///< packets to which the action was applied
  std::uint64_t refused = 0;  ///< selected packets to which the action could not be applied
};

}  // namespace softfeb::faults
