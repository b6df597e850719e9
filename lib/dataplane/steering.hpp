// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/ip.hpp"
#include "roce/path.hpp"
#include "roce/psn.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Which receive queue, and so which worker, a packet arrives at. A rule in the NIC saves the hop through
/// another worker's ring and is never relied upon: the software classifier is always there. Decided here,
/// told to the NIC in dataplane/flow_rules.hpp.
namespace softfeb::dataplane {

enum class SteeringTier : std::uint8_t {
  kSoftware = 1,  ///< T1: no rule, everything arrives at queue 0
  kUdp = 2,       ///< T2: a board's address and UDP port 4791 → queue
  kBth = 3,       ///< T3: DestQP in the BTH → queue
};

/// A board as steering sees it. With `qpns` only packets for these queue pairs belong to `queue` (a board
/// split over workers).
struct SteeredBoard {
  std::optional<roce::VlanTag> vlan;
  roce::IpAddress ip;
  std::vector<roce::Qpn> qpns;
  std::uint16_t queue = 0;
};

/// One rule. No address and no QPN: every RoCEv2 packet.
struct SteeringRule {
  std::optional<roce::VlanTag> vlan;
  roce::IpAddress ip;
  std::optional<roce::Qpn> qpn;
  std::uint16_t queue = 0;

  SteeringTier tier() const { return qpn ? SteeringTier::kBth : SteeringTier::kUdp; }
};

/// Nothing when the port takes the rule; otherwise why not.
using RuleCheck = std::function<std::optional<std::string>(const SteeringRule&)>;

struct SteeringChoice {
  SteeringTier tier = SteeringTier::kSoftware;
  std::vector<SteeringRule> rules;
  std::string reason;  ///< why this tier and none above it, for the start-up print
};

/// Rules a port is asked to hold, at most. NICs hold thousands; beyond that insertion takes long and tables
/// overflow.
inline constexpr std::size_t kMaxSteeringRules = 4096;

/// The highest tier up to `highest` for whose rules `check` has no objection.
SteeringChoice choose_steering(SteeringTier highest, std::uint16_t queues,
                               std::span<const SteeredBoard> boards, const RuleCheck& check);

std::string to_string(SteeringTier tier);

}  // namespace softfeb::dataplane
