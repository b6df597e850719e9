// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/port_options.hpp"
#include "roce/ip.hpp"
#include "roce/path.hpp"
#include "roce/psn.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Selects the receive queue, and thereby the worker, at which a packet arrives. A flow rule in the NIC
/// avoids a hop through another worker's ring, but is never required: the software classifier always runs.
/// The rules are chosen here and inserted by dataplane/flow_rules.hpp.
namespace softfeb::dataplane {

using engine::SteeringTier;

/// A board or receiver whose packets are to be steered to `queue`. If `qpns` is not empty, the board is split
/// over several workers, and only packets for these QPs belong to `queue`.
struct SteeredBoard {
  std::optional<roce::VlanTag> vlan;
  roce::IpAddress ip;
  std::vector<roce::Qpn> qpns;
  std::uint16_t queue = 0;
};

/// A rule that steers RoCEv2 packets (UDP port 4791) for `ip` to `queue`. If `vlan` or `qpn` is set, the rule
/// applies only to packets in this VLAN or for this QPN.
struct SteeringRule {
  std::optional<roce::VlanTag> vlan;
  roce::IpAddress ip;
  std::optional<roce::Qpn> qpn;
  std::uint16_t queue = 0;

  SteeringTier tier() const { return qpn ? SteeringTier::kBth : SteeringTier::kUdp; }
};

/// Returns nullopt if the port accepts the rule, otherwise the reason why the port rejects it.
using RuleCheck = std::function<std::optional<std::string>(const SteeringRule&)>;

struct SteeringChoice {
  SteeringTier tier = SteeringTier::kSoftware;
  std::vector<SteeringRule> rules;
  std::string reason;  ///< why no higher tier was chosen; may be empty; printed at start-up
};

/// Maximum number of rules per port. NICs can hold thousands of rules. With more rules, insertion is slow and
/// tables overflow.
inline constexpr std::size_t kMaxSteeringRules = 4096;

/// Chooses the highest tier, up to `highest`, whose rules all pass `check`.
SteeringChoice choose_steering(SteeringTier highest, std::uint16_t queues,
                               std::span<const SteeredBoard> boards, const RuleCheck& check);

std::string to_string(SteeringTier tier);

}  // namespace softfeb::dataplane
