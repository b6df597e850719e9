// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/rng.hpp"
#include "roce/psn.hpp"

#include <cstdint>
#include <optional>
#include <vector>

/// Faults made on purpose, decided here and carried out by dataplane/fault_injector.hpp. The same seed gives
/// the same faults for the same packets.
namespace softfeb::dataplane {

/// Probabilities in parts of 2^32.
struct FaultRates {
  std::uint64_t drop = 0;
  std::uint64_t corrupt = 0;
  std::uint64_t duplicate = 0;
  std::uint64_t reorder = 0;  ///< leaves after the packet behind it
  std::uint64_t mark_ce = 0;  ///< ECN-capable packets alone, as a switch does
};

enum class FaultAction : std::uint8_t { kDrop, kCorrupt, kMarkCe };

/// The n-th time (from 1) a packet with this DestQP and PSN passes.
struct FaultRule {
  FaultAction action = FaultAction::kDrop;
  roce::Qpn qpn = 0;
  roce::Psn psn = 0;
  std::uint32_t nth = 1;
};

struct FaultVerdict {
  bool drop = false;
  bool corrupt = false;
  bool duplicate = false;
  bool reorder = false;
  bool mark_ce = false;
  std::uint64_t where = 0;  ///< random: which bit to corrupt

  bool any() const { return drop || corrupt || duplicate || reorder || mark_ce; }
};

struct FaultCounters {
  std::uint64_t dropped = 0;
  std::uint64_t corrupted = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t reordered = 0;
  std::uint64_t marked_ce = 0;
};

/// Where a RoCEv2 packet's parts are in its frame. From the first bytes of a frame, hostile or not; nothing
/// when it is no RoCEv2.
struct RoceLocation {
  std::uint16_t ip = 0;   ///< offset of the IP header
  std::uint16_t bth = 0;  ///< offset of the BTH
  bool ipv6 = false;
  roce::Qpn dest_qp = 0;
  roce::Psn psn = 0;
};
std::optional<RoceLocation> locate_roce(ByteSpan frame_begin);

/// The faults of one direction of one queue. No allocation after construction.
class FaultPlan {
 public:
  FaultPlan() = default;
  FaultPlan(std::uint64_t seed, const FaultRates& rates, const std::vector<FaultRule>& rules = {});

  /// False: never a fault, nobody need ask.
  bool active() const { return active_; }

  /// What shall happen to this packet. Always draws equally many random numbers, so one fault does not move
  /// the next.
  FaultVerdict judge(const RoceLocation& packet);

 private:
  struct Rule {
    FaultRule rule;
    std::uint32_t seen = 0;
  };
  Rng rng_;
  FaultRates rates_;
  std::vector<Rule> rules_;
  bool active_ = false;
};

}  // namespace softfeb::dataplane
