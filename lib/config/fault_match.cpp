// SPDX-License-Identifier: BSD-3-Clause
#include "config/fault_match.hpp"

#include "config/choices.hpp"

#include <algorithm>
#include <variant>

namespace softfeb::config {
namespace {

using faults::Direction;
using faults::PacketSelector;
using faults::ResponseKind;

/// Number of packets of each message; nullopt if messages differ in this number, or if the receiver may
/// change the path MTU.
std::optional<std::uint32_t> packets_per_message(const BoardConfig& board, const QpConfig& qp) {
  const TrafficConfig& t = qp.traffic;
  const bool session =
      std::holds_alternative<PerftestTarget>(qp.to) || std::holds_alternative<SinkTarget>(qp.to);
  if (session || board.events || board.traffic_gen || t.transfer || t.lengths ||
      t.payload.kind == board::PayloadKind::kFile)
    return std::nullopt;
  return std::max(1U, t.message_size / qp.pmtu + (t.message_size % qp.pmtu != 0 ? 1U : 0U));
}

/// True if messages of `packets` packets have a packet with this operation.
bool occurs(roce::Operation operation, std::uint32_t packets, roce::WrOpcode verb) {
  const bool immediate = verb == roce::WrOpcode::kWriteImm;
  switch (operation) {
    case roce::Operation::kWriteFirst:
      return packets > 1;
    case roce::Operation::kWriteMiddle:
      return packets > 2;
    case roce::Operation::kWriteLast:
      return packets > 1 && !immediate;
    case roce::Operation::kWriteLastImm:
      return packets > 1 && immediate;
    case roce::Operation::kWriteOnly:
      return packets == 1 && !immediate;
    case roce::Operation::kWriteOnlyImm:
      return packets == 1 && immediate;
    default:
      return true;
  }
}

std::string counted(std::uint64_t n, const std::string& what) {
  return std::to_string(n) + ' ' + what + (n == 1 ? "" : "s");
}

}  // namespace

std::optional<NoMatch> no_match(const PacketSelector& on, const BoardConfig& board, const QpConfig& qp) {
  if (on.direction == Direction::kRx && qp.transport == roce::Transport::kUc &&
      on.response != ResponseKind::kCnp) {
    return NoMatch{on.response ? "kind" : "direction", "the only responses to UC requests are CNPs",
                   "write `kind: cnp`, or select a queue pair with `transport: RC`"};
  }
  if (on.message && qp.traffic.messages && *on.message >= *qp.traffic.messages && !board.events) {
    const std::uint64_t n = *qp.traffic.messages;
    return NoMatch{"message", "the queue pair sends only " + counted(n, "message"),
                   "messages are numbered from 0: write at most " + std::to_string(n == 0 ? 0 : n - 1)};
  }
  const auto packets = packets_per_message(board, qp);
  if (!packets) return std::nullopt;
  if (on.part == faults::MessagePart::kNumber && on.part_number >= *packets) {
    return NoMatch{"part", "a message of the queue pair has only " + counted(*packets, "packet"),
                   "packets are numbered from 0: write at most " + std::to_string(*packets - 1)};
  }
  if (on.operation && !occurs(*on.operation, *packets, qp.traffic.verb)) {
    const bool immediate = qp.traffic.verb == roce::WrOpcode::kWriteImm;
    return NoMatch{"opcode",
                   "no packet of the queue pair has this opcode: its messages have " +
                       counted(*packets, "packet") + (immediate ? " and an immediate" : " and no immediate"),
                   "write another opcode, or change `traffic.message_size` or `traffic.verb`"};
  }
  return std::nullopt;
}

}  // namespace softfeb::config
