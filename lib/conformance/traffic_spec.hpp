// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "faults/fault_rule.hpp"
#include "roce/opcode.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace softfeb::conformance {

/// A range of permitted numbers, from `first` to `last` (inclusive).
struct Range {
  std::uint64_t first = 0;
  std::uint64_t last = UINT64_MAX;
  bool contains(std::uint64_t n) const { return first <= n && n <= last; }
};

/// A fault rule of a traffic run.
struct TrafficRule {
  /// Number of the queue pair to which the rule applies. If empty, the rule applies to all queue pairs.
  std::optional<std::uint32_t> qp;
  faults::FaultRule rule;
  std::string text;  ///< text of the rule, as in the catalogue
};

/// The permitted increase of one of the target's counters.
struct CounterRange {
  Range range;
  /// If set, the increase must match the packets on the wire exactly, and `range` is ignored.
  bool of_wire = false;
};

/// A quantity that a traffic run measures. traffic_figures.cpp defines names and units.
enum class TrafficFigure : std::uint8_t {
  kGoodput,
  kRetransmissions,
  kNaks,
  kTimeouts,
  kMessages,
  kBurst,  ///< TrafficSpec::messages if there was no NAK 0x60 and no timeout; otherwise 0
  kCnps,
  kCnpGap,      ///< shortest time between two CNPs of one queue pair
  kCnpLongest,  ///< longest time between two CNPs of one queue pair
  kCnpLeast,    ///< number of CNPs of the queue pair that received the fewest CNPs
  kCnpJain,     ///< Jain index of the numbers of CNPs of the queue pairs
  kCnpScope,    ///< which queue pairs share one interval between CNPs, in words
  kCleanGoodput,
  kCleanLoss,   ///< percentage of its goodput that the clean queue pair loses because of the others
  kQueuePairs,  ///< number of queue pairs that the target could open
};
std::optional<TrafficFigure> traffic_figure_of(std::string_view name);

/// A traffic run: softfeb's boards (the "ordinary sender" of doc/conformance-cases.md) send messages on queue
/// pairs, and fault rules apply to the packets.
struct TrafficSpec {
  std::string name;  ///< appended to the names of the run's figures; may be empty
  std::uint32_t qps = 1;
  bool fewer_qps = false;  ///< if the target opens only some of the queue pairs, the run uses these
  /// Number of the board's addresses, at most 2; queue pairs use them in turn.
  std::uint32_t addresses = 1;
  std::uint32_t pmtu = 1024;       ///< path MTU in bytes
  std::uint32_t message = 65'536;  ///< length of a message in bytes; 0 means the length of the first region
  std::uint32_t shortest = 0;      ///< if not 0, lengths are random, from `shortest` to `message` bytes
  std::uint64_t messages = 16;     ///< number of messages of each queue pair
  Time duration = 0;               ///< if not 0, the run ends after this time, and `messages` is ignored
  std::uint32_t window = 64;       ///< maximum number of unacknowledged packets of each queue pair
  roce::Transport transport = roce::Transport::kRc;
  bool immediate = false;      ///< each message carries its number
  std::uint32_t receives = 0;  ///< number of receives that are kept posted at the target
  bool marked = false;         ///< all packets have ECN CE
  /// Loss probability of each packet in either direction, in units of 2^-32.
  std::uint64_t loss = 0;
  /// Permitted number of NAKs 0x60, including those that a rule drops.
  Range naks;
  Range timeouts;                                ///< permitted number of the sender's timeouts
  bool may_fail = false;                         ///< queue pairs may end in the error state
  std::map<std::string, CounterRange> counters;  ///< permitted increase of counters, by name
  /// Payload rate, in bytes per second, of an additional "clean" queue pair to which no rule applies. It
  /// first runs alone, and then together with the others. It must not lose any packets, whatever happens to
  /// the others.
  std::optional<std::uint64_t> clean_rate;
  /// Number of additional queue pairs that are opened and closed during the run, one after the other. Each
  /// receives a WRITE before it is closed, and another one afterwards, which the target must not answer.
  std::uint32_t churn = 0;
  std::vector<TrafficRule> rules;
  std::vector<TrafficFigure> figures;
};

}  // namespace softfeb::conformance
