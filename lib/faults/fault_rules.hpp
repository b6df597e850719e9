// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "faults/fault_rule.hpp"
#include "faults/location.hpp"
#include "roce/ip.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace softfeb::faults {

/// A queue pair to which rules apply, as the packets of one direction identify it.
struct FaultQp {
  roce::IpAddress source;  ///< source address of the packets
  roce::IpAddress dest;    ///< destination address of the packets
  roce::Qpn dest_qp = 0;   ///< DestQP of the packets
  roce::Psn first_psn = 0;
  std::vector<std::uint32_t> rules;  ///< indices of the rules that apply
};

/// A rule that applies to a packet.
struct RuleHit {
  std::uint32_t rule = 0;   ///< index of the rule
  std::uint32_t state = 0;  ///< index of the pair of rule and queue pair
  bool keep = false;  ///< the packet is the one that the rule replays later; the rule does not apply yet
};

/// Decides which rules apply to the packets of one direction of a queue. Rules of the other direction are
/// ignored. All memory is allocated at construction. A packet costs one hash look-up, and a comparison for
/// each rule of its queue pair.
class FaultRules {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  /// Number of packets that may lie between two transmissions of a PSN, for rules that have an iteration but
  /// no PSNs.
  static constexpr std::uint32_t kWindow = 1U << 16;
  /// Maximum of memory_needed().
  static constexpr std::uint64_t kMostMemory = std::uint64_t{256} << 20;

  struct Judgement {
    std::uint32_t qp = kNone;       ///< index of the queue pair; kNone: no rules apply to it
    std::span<const RuleHit> hits;  ///< in the order of the actions; valid until the next call
  };

  FaultRules() = default;
  /// If two elements of `qps` have the same addresses and DestQP, the second one is ignored.
  FaultRules(Direction direction, const std::vector<FaultRule>& rules, const std::vector<FaultQp>& qps);

  /// Memory in bytes for the iterations of the rules. The caller must refuse more than kMostMemory.
  static std::uint64_t memory_needed(const std::vector<FaultRule>& rules, const std::vector<FaultQp>& qps);

  bool active() const { return !qps_.empty(); }
  std::size_t states() const { return states_.size(); }
  const FaultRule& rule(std::uint32_t i) const { return rules_[i]; }

  /// Finds the rules that apply to a packet and counts the packet. `frame` contains at least the headers up
  /// to the BTH, at the places that locate_roce() has found.
  Judgement judge(ByteSpan frame, const RoceLocation& at);

  /// Called for each hit, when its action has been applied or could not be applied.
  void applied(std::uint32_t rule) { ++counters_[rule].hits; }
  void refused(std::uint32_t rule) { ++counters_[rule].refused; }
  /// Indexed like the rules.
  const std::vector<RuleCounters>& counters() const { return counters_; }

 private:
  struct Qp {
    FaultQp key;                                    ///< `rules` is empty
    std::uint32_t first_state = 0, last_state = 0;  ///< states_[first_state … last_state − 1]
    std::uint64_t packets = 0;                      ///< packets seen, without CNPs
    roce::Psn next = 0;                             ///< PSN after the highest one
    std::int64_t next_index = 0;                    ///< number of `next`, counted from first_psn without wrap
    std::uint64_t messages = 0;                     ///< messages that have begun
    roce::Psn follows = 0;                          ///< PSN after that of the previous packet
    std::uint32_t round = 1;
  };
  struct State {
    std::uint32_t rule = 0;
    std::uint64_t selected = 0;  ///< number of packets selected
    std::uint64_t met = 0;       ///< number of packets that fulfilled all conditions but `every`
    std::size_t passes = 0;      ///< first element in passes_ or recent_
    bool message_begun = false;  ///< the packet numbers of the rule's message are known
    std::int64_t message_first = 0, message_last = 0;
    bool kept = false;  ///< the packet to be replayed has passed
  };
  /// The packet that is judged.
  struct Packet {
    roce::Psn psn = 0;
    std::uint8_t opcode = 0;
    bool request = false, response = false;
    ResponseKind kind = ResponseKind::kAck;
    std::uint64_t position = 0;  ///< position among the packets of the queue pair
    std::int64_t index = 0;      ///< number of its PSN without wrap
    bool fresh = false;          ///< first transmission of the PSN
    std::uint64_t messages = 0;  ///< messages that have begun, including the one of this packet
    std::uint32_t round = 1;
  };

  std::uint32_t find(const FaultQp& key) const;
  static std::uint64_t hash(const FaultQp& key);
  bool read(ByteSpan frame, const RoceLocation& at, Packet& packet) const;
  static void follow(Qp& qp, Packet& packet);
  void add_state(std::uint32_t rule);
  bool selects(State& state, const Qp& qp, const Packet& packet);
  bool in_message(State& state, const PacketSelector& on, const Packet& packet);
  bool right_iteration(State& state, const PacketSelector& on, const Qp& qp, const Packet& packet);
  void to_keep(std::uint32_t state, const Qp& qp, const Packet& packet);

  Direction direction_ = Direction::kTx;
  std::vector<FaultRule> rules_;
  std::vector<RuleCounters> counters_;
  std::vector<Qp> qps_;
  std::vector<State> states_;          ///< of each queue pair, in the order of the actions
  std::vector<std::uint32_t> table_;   ///< hash table with open addressing: index of the queue pair, plus 1
  std::vector<std::uint8_t> passes_;   ///< for rules with PSNs: how often each of them has passed
  std::vector<std::uint32_t> recent_;  ///< kWindow elements for each rule: PSN, and how often it has passed
  std::vector<RuleHit> hits_;
};

}  // namespace softfeb::faults
