// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/steering.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

struct rte_flow;

namespace softfeb::dataplane {

/// Steering flow rules of a started port. The constructor inserts them, and the destructor removes them. For
/// set-up only.
class FlowRules {
 public:
  /// Chooses a tier, not above `highest`, with rte_flow_validate(), and inserts the rules of this tier. If
  /// the port rejects a rule that it has validated, the next lower tier is tried. `queues` is the number of
  /// the port's RX queues.
  FlowRules(std::uint16_t port_id, SteeringTier highest, std::uint16_t queues,
            std::span<const SteeredBoard> boards);
  ~FlowRules();
  FlowRules(const FlowRules&) = delete;
  FlowRules& operator=(const FlowRules&) = delete;

  /// The chosen tier and the rules that are inserted.
  const SteeringChoice& choice() const { return choice_; }

 private:
  bool insert_all(std::string& refusal);
  void remove_all();

  std::uint16_t port_id_;
  SteeringChoice choice_;
  std::vector<rte_flow*> flows_;
};

}  // namespace softfeb::dataplane
