// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/slice.hpp"

#include <algorithm>
#include <cstddef>

namespace softfeb::fabric {

namespace {

/// Copies the counters of the links' fault rules for links whose sender is in the slice, because the sender's
/// slice applies the rules.
void copy_rules(const NetworkConfig& config, const Slice& slice, const NetworkSnapshot& from,
                NetworkSnapshot& to) {
  std::size_t next = 0;
  const auto copy = [&](const LinkFaults& faults, const NodeRef& sender) {
    if (faults.qps.empty()) return;
    for (const std::size_t end = next + faults.rules.size(); next < end; ++next)
      if (slice.has(sender)) to.rules[next] = from.rules[next];
  };
  for (const LinkConfig& link : config.links) {
    copy(link.a_to_b, link.a);
    copy(link.b_to_a, link.b);
  }
}

}  // namespace

void add_totals(const NetworkTotals& from, NetworkTotals& to) {
  const auto& [entered, made, duplicated, delivered, consumed, dropped_buffer, dropped_fault, dropped_unknown,
               dropped_rules, dropped_store, in_network, corrupted, reordered] = from;
  to.entered += entered;
  to.made += made;
  to.duplicated += duplicated;
  to.delivered += delivered;
  to.consumed += consumed;
  to.dropped_buffer += dropped_buffer;
  to.dropped_fault += dropped_fault;
  to.dropped_unknown += dropped_unknown;
  to.dropped_rules += dropped_rules;
  to.dropped_store += dropped_store;
  to.in_network += in_network;
  to.corrupted += corrupted;
  to.reordered += reordered;
}

void add_slice(const NetworkConfig& config, const Slice& slice, const NetworkSnapshot& from,
               NetworkSnapshot& to) {
  to.taken_at = from.taken_at;
  add_totals(from.totals, to.totals);
  for (std::size_t p = 0; p < from.ports.size(); ++p)
    if (slice.switches[from.ports[p].switch_index] != 0) to.ports[p] = from.ports[p];
  copy_rules(config, slice, from, to);
  for (std::size_t i = 0; i < from.next_hops.size(); ++i)
    if (slice.switches[from.next_hops[i].switch_index] != 0) to.next_hops[i] = from.next_hops[i];
}

}  // namespace softfeb::fabric
