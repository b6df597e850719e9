// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/steering.hpp"

#include <algorithm>

namespace softfeb::dataplane {
namespace {

/// The rules of a tier, or the reason why there are none.
struct TierRules {
  std::vector<SteeringRule> rules;
  std::string obstacle;
};

TierRules bth_rules(std::span<const SteeredBoard> boards) {
  TierRules out;
  for (const SteeredBoard& board : boards) {
    for (const roce::Qpn qpn : board.qpns) out.rules.push_back({board.vlan, board.ip, qpn, board.queue});
  }
  if (out.rules.empty()) out.obstacle = "no queue pair is known at startup";
  return out;
}

TierRules udp_rules(std::span<const SteeredBoard> boards) {
  TierRules out;
  for (const SteeredBoard& board : boards) {
    const auto same = [&](const SteeringRule& r) { return r.vlan == board.vlan && r.ip == board.ip; };
    const auto it = std::find_if(out.rules.begin(), out.rules.end(), same);
    if (it == out.rules.end()) {
      out.rules.push_back({board.vlan, board.ip, std::nullopt, board.queue});
    } else if (it->queue != board.queue) {
      return {{}, "board " + board.ip.to_string() + " is spread over several queues"};
    }
  }
  return out;
}

}  // namespace

std::string to_string(SteeringTier tier) {
  switch (tier) {
    case SteeringTier::kSoftware:
      return "T1 (software classifier)";
    case SteeringTier::kUdp:
      return "T2 (address and UDP port to queue)";
    case SteeringTier::kBth:
      return "T3 (queue pair to queue)";
  }
  return "?";
}

SteeringChoice choose_steering(SteeringTier highest, std::uint16_t queues,
                               std::span<const SteeredBoard> boards, const RuleCheck& check) {
  SteeringChoice choice;
  if (queues <= 1) return {SteeringTier::kSoftware, {}, "one queue: nothing to steer"};
  if (highest == SteeringTier::kSoftware) return {SteeringTier::kSoftware, {}, "asked for"};
  std::string reason;
  for (const SteeringTier tier : {SteeringTier::kBth, SteeringTier::kUdp}) {
    if (tier > highest) continue;
    TierRules tried = tier == SteeringTier::kBth ? bth_rules(boards) : udp_rules(boards);
    if (tried.rules.size() > kMaxSteeringRules) {
      tried.obstacle = std::to_string(tried.rules.size()) + " rules exceed the limit of " +
                       std::to_string(kMaxSteeringRules);
    }
    for (auto rule = tried.rules.begin(); tried.obstacle.empty() && rule != tried.rules.end(); ++rule) {
      if (const auto why = check(*rule)) tried.obstacle = why->empty() ? "the port rejects the rules" : *why;
    }
    if (tried.obstacle.empty() && !tried.rules.empty()) {
      if (reason.empty()) reason = tier == highest ? "the port accepts the rules" : "";
      return {tier, std::move(tried.rules), reason};
    }
    reason += std::string(reason.empty() ? "" : "; ") + (tier == SteeringTier::kBth ? "no T3: " : "no T2: ") +
              tried.obstacle;
  }
  choice.reason = reason;
  return choice;
}

}  // namespace softfeb::dataplane
