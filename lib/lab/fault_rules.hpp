// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "fabric/snapshot.hpp"
#include "faults/fault_rule.hpp"
#include "stats/outcome.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace softfeb::lab {

/// A fault rule and its counters in a run.
struct RuleResult {
  /// Element of the configuration, which must outlive this object.
  const config::FaultRuleConfig* rule = nullptr;
  faults::RuleCounters counters;
};

/// The rules of one direction of a link.
struct LinkRuleResults {
  std::size_t link = 0;  ///< index into LabConfig::network.links
  bool back = false;     ///< the direction is from the link's node `b` to `a`
  std::vector<RuleResult> rules;
};

/// Returns the results of the rules of port `port`, an index into RunConfig::ports.
std::vector<RuleResult> rules_of_port(const config::RunConfig& config, std::size_t port,
                                      const stats::Outcome& outcome);
/// Returns the results of the rules of all ports, in the order of the configuration.
std::vector<RuleResult> port_rules(const config::RunConfig& config, const stats::Outcome& outcome);
/// Returns the results of the rules of all links. Directions without rules are omitted.
std::vector<LinkRuleResults> link_rules(const config::LabConfig& config,
                                        const fabric::NetworkSnapshot& network);

/// Returns a line for each rule that was never hit. A rule for several links, or for both directions, counts
/// as hit if it was hit on at least one link, in at least one direction.
std::vector<std::string> never_hit(const std::vector<RuleResult>& rules);

}  // namespace softfeb::lab
