// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/steering.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

struct rte_flow;

namespace softfeb::dataplane {

/// Steering rules in a started port, from construction to destruction. Off the packet path.
class FlowRules {
 public:
  /// Chooses with rte_flow_validate() and inserts. A rule the port validates and then does not take moves to
  /// the tier below.
  FlowRules(std::uint16_t port_id, SteeringTier highest, std::uint16_t queues,
            std::span<const SteeredBoard> boards);
  ~FlowRules();
  FlowRules(const FlowRules&) = delete;
  FlowRules& operator=(const FlowRules&) = delete;

  /// What holds now.
  const SteeringChoice& choice() const { return choice_; }

 private:
  bool insert_all(std::string& refusal);
  void remove_all();

  std::uint16_t port_id_;
  SteeringChoice choice_;
  std::vector<rte_flow*> flows_;
};

}  // namespace softfeb::dataplane
