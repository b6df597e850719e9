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

/// The smallest and the largest permitted number.
struct Range {
  std::uint64_t first = 0;
  std::uint64_t last = UINT64_MAX;
  bool contains(std::uint64_t n) const { return first <= n && n <= last; }
};

/// A fault rule of a run of the ordinary sender.
struct TrafficRule {
  std::optional<std::uint32_t> qp;  ///< number of the queue pair; none: each of them
  faults::FaultRule rule;
  std::string text;  ///< as in the catalogue
};

/// The permitted increase of a counter of the target.
struct CounterRange {
  Range range;
  bool of_wire = false;  ///< instead of `range`: exactly what the packets on the wire cause
};

/// A quantity that a run of the ordinary sender measures. traffic_figures.cpp defines names and units.
enum class TrafficFigure : std::uint8_t {
  kGoodput,
  kRetransmissions,
  kNaks,
  kTimeouts,
  kMessages,
  kBurst,  ///< messages, if none was lost
  kCnps,
  kCnpGap,      ///< shortest time between two CNPs of one queue pair
  kCnpLongest,  ///< longest such time
  kCnpLeast,    ///< CNPs of the queue pair with the fewest
  kCnpJain,     ///< Jain index of the CNPs of the queue pairs
  kCnpScope,    ///< what shares the interval between CNPs, in words
  kCleanGoodput,
  kCleanLoss,   ///< goodput that the clean queue pair loses because of the others
  kQueuePairs,  ///< that the target could open
};
std::optional<TrafficFigure> traffic_figure_of(std::string_view name);

/// A run of the ordinary sender: boards with queue pairs that send messages, and fault rules.
struct TrafficSpec {
  std::string name;  ///< added to the names of its figures; empty: nothing is added
  std::uint32_t qps = 1;
  bool fewer_qps = false;          ///< if the target opens only some of the queue pairs, these are used
  std::uint32_t addresses = 1;     ///< addresses of the board, at most 2; queue pairs use them in turn
  std::uint32_t pmtu = 1024;       ///< bytes
  std::uint32_t message = 65'536;  ///< bytes; 0: as long as the first region
  std::uint32_t shortest = 0;      ///< bytes; not 0: lengths are random from `shortest` to `message`
  std::uint64_t messages = 16;     ///< of each queue pair
  Time duration = 0;               ///< not 0: instead of `messages`
  std::uint32_t window = 64;       ///< packets
  roce::Transport transport = roce::Transport::kRc;
  bool immediate = false;                        ///< each message carries its number
  std::uint32_t receives = 0;                    ///< receives that the target keeps posted
  bool marked = false;                           ///< all packets have ECN CE
  std::uint64_t loss = 0;                        ///< of each packet in either direction, in units of 2^-32
  Range naks;                                    ///< NAKs 0x60, including those that a rule drops
  Range timeouts;                                ///< of the sender
  bool may_fail = false;                         ///< queue pairs may end in the error state
  std::map<std::string, CounterRange> counters;  ///< by name
  /// Payload bytes per second of one more queue pair, to which no rule applies. It runs alone first, and then
  /// with the others. No packet of it may be lost, whatever happens to the others.
  std::optional<std::uint64_t> clean_rate;
  /// Number of queue pairs that are opened and closed meanwhile, one after the other. Each gets a WRITE
  /// before it is closed, and another one afterwards, which the target must not answer.
  std::uint32_t churn = 0;
  std::vector<TrafficRule> rules;
  std::vector<TrafficFigure> figures;
};

}  // namespace softfeb::conformance
