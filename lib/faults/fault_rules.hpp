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

/// A queue pair to which rules apply. It is identified by the addresses and the DestQP of its packets in one
/// direction.
struct FaultQp {
  roce::IpAddress source;  ///< source address of the packets
  roce::IpAddress dest;    ///< destination address of the packets
  roce::Qpn dest_qp = 0;   ///< DestQP of the packets
  roce::Psn first_psn = 0;
  std::vector<std::uint32_t> rules;  ///< indices of the rules that apply
  Direction direction = Direction::kTx;
};

/// A rule that applies to a packet.
struct RuleHit {
  std::uint32_t rule = 0;   ///< index of the rule
  std::uint32_t state = 0;  ///< index of the state of this rule for this queue pair
  /// The rule replays this packet later, so the packet must be stored; the action is not due yet.
  bool keep = false;
};

/// Decides which rules apply to the packets of a queue, or of one direction of a link. All memory is
/// allocated at construction. A packet costs one hash look-up, and a comparison for each rule of its queue
/// pair.
class FaultRules {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  /// Rules that have an iteration but no PSNs count the transmissions of this many consecutive PSNs. The
  /// counts of earlier PSNs are lost.
  static constexpr std::uint32_t kWindow = 1U << 16;
  /// Maximum of memory_needed().
  static constexpr std::uint64_t kMostMemory = std::uint64_t{256} << 20;

  struct Judgement {
    std::uint32_t qp = kNone;  ///< index of the queue pair; kNone if no rule can apply to the packet
    /// In the order in which the actions are carried out; valid until the next call to judge().
    std::span<const RuleHit> hits;
  };

  FaultRules() = default;
  /// A rule applies to a queue pair only if both have the same direction. If two elements of `qps` have the
  /// same direction, addresses and DestQP, the second one is ignored.
  FaultRules(const std::vector<FaultRule>& rules, const std::vector<FaultQp>& qps);

  /// Memory in bytes that the rules need for counting iterations. The caller must reject rules that need more
  /// than kMostMemory.
  static std::uint64_t memory_needed(const std::vector<FaultRule>& rules, const std::vector<FaultQp>& qps);

  bool active() const { return !qps_.empty(); }
  std::size_t states() const { return states_.size(); }
  const FaultRule& rule(std::uint32_t i) const { return rules_[i]; }

  /// Finds the rules that apply to a packet and counts the packet. `frame` must contain at least the headers
  /// through the BTH. `at` must be the result of locate_roce() for this frame.
  Judgement judge(ByteSpan frame, const RoceLocation& at);

  /// For each hit, call applied() when its action was applied, or refused() when it could not be applied.
  void applied(std::uint32_t rule) { ++counters_[rule].hits; }
  void refused(std::uint32_t rule) { ++counters_[rule].refused; }
  /// Indexed like the rules.
  const std::vector<RuleCounters>& counters() const { return counters_; }

 private:
  struct Qp {
    FaultQp key;                                    ///< identifies the queue pair; `rules` is empty
    std::uint32_t first_state = 0, last_state = 0;  ///< states_[first_state … last_state − 1]
    std::uint64_t packets = 0;                      ///< number of packets so far, without CNPs
    roce::Psn next = 0;                             ///< PSN after the highest PSN so far
    /// Index of the packet with PSN `next`; index 0 has PSN first_psn.
    std::int64_t next_index = 0;
    std::uint64_t messages = 0;  ///< number of messages that have begun
    roce::Psn follows = 0;       ///< PSN of the previous packet, plus 1
    std::uint32_t round = 1;
  };
  struct State {
    std::uint32_t rule = 0;
    std::uint64_t selected = 0;  ///< number of packets selected
    std::uint64_t met = 0;       ///< number of packets that met all conditions except `every` and `count`
    std::size_t passes = 0;      ///< index of the first counter of the rule in passes_ or recent_
    bool message_begun = false;  ///< message_first and message_last are valid
    std::int64_t message_first = 0, message_last = 0;
    bool kept = false;  ///< for kReplay: judge() has returned a hit with RuleHit::keep for this rule
  };
  /// Properties of the packet that judge() examines.
  struct Packet {
    roce::Psn psn = 0;
    std::uint8_t opcode = 0;
    bool request = false, response = false;
    ResponseKind kind = ResponseKind::kAck;
    std::uint64_t position = 0;  ///< position among the packets of the queue pair
    std::int64_t index = 0;      ///< packet index without wrapping (see Qp::next_index)
    bool fresh = false;          ///< first transmission of the PSN
    /// Number of messages of the queue pair that have begun, including that of this packet.
    std::uint64_t messages = 0;
    std::uint32_t round = 1;

    bool cnp() const { return response && kind == ResponseKind::kCnp; }
  };

  std::uint32_t find(const FaultQp& key) const;
  static std::uint64_t hash(const FaultQp& key);
  static bool read_response(ByteSpan frame, const RoceLocation& at, Packet& packet);
  static void follow(Qp& qp, Packet& packet);
  void add_state(std::uint32_t rule);
  bool selects(State& state, const Qp& qp, const Packet& packet);
  bool in_message(State& state, const PacketSelector& on, const Packet& packet);
  bool right_iteration(State& state, const PacketSelector& on, const Qp& qp, const Packet& packet);
  void to_keep(std::uint32_t state, const Qp& qp, const Packet& packet);

  std::vector<FaultRule> rules_;
  std::vector<RuleCounters> counters_;
  std::vector<Qp> qps_;
  /// Grouped by queue pair; within a queue pair, in the order of the actions.
  std::vector<State> states_;
  std::vector<std::uint32_t> table_;  ///< hash table with open addressing: index of the queue pair, plus 1
  /// Used by rules with an iteration and PSNs: the number of transmissions of each PSN that such a rule
  /// selects.
  std::vector<std::uint8_t> passes_;
  /// Used by rules with an iteration but no PSNs: kWindow elements for each pair of rule and queue pair. An
  /// element contains a PSN and the number of its transmissions.
  std::vector<std::uint32_t> recent_;
  std::vector<RuleHit> hits_;
};

}  // namespace softfeb::faults
