// SPDX-License-Identifier: BSD-3-Clause
#include "config/draft.hpp"

#include <algorithm>

namespace softfeb::config {

void read_port_rules(Section& s, fabric::SwitchConfig& config) {
  s.read("mtu", config.mtu, integer(64, 65'535));
  if (s.read("mtu_counts_tag", config.mtu_counts_tag, parse_bool) && config.mtu == 0) {
    s.reading().problem(s.find("mtu_counts_tag")->where, "has an effect only with `mtu`",
                        "remove it, or add for example `mtu: 9216`");
  }
  s.read("route", config.routes, parse_bool);
}

void read_vlans(Section& s, fabric::LinkConfig& link) {
  const Node* const node = s.find("vlans");
  if (node != nullptr && node->kind != Node::Kind::kNull) {
    std::vector<std::uint16_t>& vlans = link.vlans.emplace();
    for (const Node& child : s.list("vlans")) {
      std::uint16_t vlan = 0;
      if (!s.scalar(child, vlan, integer(1, 4094))) continue;
      if (std::find(vlans.begin(), vlans.end(), vlan) == vlans.end()) vlans.push_back(vlan);
    }
  }
  if (!s.read("untagged", link.untagged, parse_bool)) return;
  if (!link.vlans) {
    s.reading().problem(s.find("untagged")->where, "has an effect only with `vlans`",
                        "remove it, or add for example `vlans: [10, 20]`");
  } else if (link.vlans->empty() && !link.untagged) {
    s.reading().problem(s.find("untagged")->where, "no frame can pass this link",
                        "add a VLAN to `vlans`, or write `untagged: on`");
  }
}

}  // namespace softfeb::config
