// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "config/values.hpp"
#include "faults/fault_rule.hpp"
#include "faults/held_packets.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace softfeb::config {

struct BoardConfig;

/// The queue pairs of a fault rule. They belong to boards of the rule's port or, for a link, to any boards
/// of the network.
struct FaultQpRef {
  enum class Kind : std::uint8_t { kAny, kIndex, kQpn };
  Kind kind = Kind::kAny;
  std::string board;        ///< for kIndex: name of the board; if empty, the only board of the port
  std::uint32_t index = 0;  ///< for kIndex: index among all QPs of the board
  std::uint32_t qpn = 0;    ///< for kQpn: QPN of the board's queue pair or, with `to`, QPN at that receiver
  std::string to;           ///< for kQpn, only in rules of links: name of the receiver

  /// For rules of ports: true if the rule selects the QP of `owner` that has the index `on_board` and the QPN
  /// `own_qpn`. `owner` is a board on the rule's port.
  bool selects(const BoardConfig& owner, std::uint32_t on_board, std::uint32_t own_qpn) const;
};

/// An element of `faults.rules` (doc/faults.md).
struct FaultRuleConfig {
  FaultQpRef qp;
  faults::FaultRule rule;
  Where where;
};

/// The fault rules that act in one direction of a link of a simulated network.
struct LinkRulesConfig {
  /// A queue pair whose requests (Direction::kTx) or responses (kRx) pass in this direction.
  struct Qp {
    std::size_t board = 0;       ///< index into RunConfig::boards
    std::uint32_t on_board = 0;  ///< index among all QPs of the board
    faults::Direction direction = faults::Direction::kTx;
    std::vector<std::uint32_t> rules;  ///< indices of the rules that select this queue pair
  };
  std::vector<FaultRuleConfig> rules;  ///< each rule selects at least one of `qps`
  std::vector<Qp> qps;
  faults::HoldLimits hold;
  Where where;  ///< section `faults` or `faults_back`
};

/// Fault injection at a port. Random faults are reproducible by seed, and are selected independently for each
/// packet.
struct FaultConfig {
  std::uint64_t seed = 1;
  Probability tx_drop, rx_drop;
  Probability tx_corrupt;    ///< flips one bit after the Ethernet header, in a copy of the frame
  Probability tx_duplicate;  ///< sends two copies of the packet
  Probability tx_reorder;    ///< delays the packet until the next packet has been sent
  Probability tx_mark_ce;    ///< sets CE on ECN-capable packets, as a congested switch does
  std::vector<FaultRuleConfig> rules;
  /// Maximum number of packets that rules hold at a time, for each direction and worker.
  std::uint32_t held_packets = 256;
  Time max_hold = kMillisecond;  ///< maximum time for which `reorder` holds a packet
  Where where;

  bool any() const {
    return !rules.empty() || (tx_drop.billionths | rx_drop.billionths | tx_corrupt.billionths |
                              tx_duplicate.billionths | tx_reorder.billionths | tx_mark_ce.billionths) != 0;
  }
};

/// Reads a document with the key `rules`, a list of rules as in section `faults` of a port. `file` names the
/// document in messages. Throws ConfigError.
std::vector<FaultRuleConfig> read_fault_rules(const std::string& text, const std::string& file);

}  // namespace softfeb::config
