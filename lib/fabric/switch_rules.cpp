// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/network_impl.hpp"

namespace softfeb::fabric {

/// Applies the rules of a port to a frame that the port receives. With cut-through, this happens when the
/// header has arrived. Called only once for each frame and switch, so that the TTL is decremented only once.
/// Returns false if the frame has been dropped.
bool Network::Parts::passes_rules(Port& port, Frame* frame) {
  if ((frame->facts & kFactControl) != 0) return true;
  switch (port.rules->receive(*frame)) {
    case PortRules::Verdict::kPass:
      return true;
    case PortRules::Verdict::kOversize:
      ++port.counters.rx_oversize;
      break;
    case PortRules::Verdict::kOtherVlan:
      ++port.counters.vlan_dropped;
      break;
    case PortRules::Verdict::kExpired:
      ++port.counters.ttl_expired;
      break;
  }
  drop(frame, totals.dropped_rules);
  return false;
}

/// Drops a frame whose VLAN its egress port does not carry.
void Network::Parts::drop_other_vlan(Port& port, Frame* frame) {
  ++port.counters.vlan_dropped;
  drop(frame, totals.dropped_rules);
}

}  // namespace softfeb::fabric
