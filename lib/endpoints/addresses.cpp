// SPDX-License-Identifier: BSD-3-Clause
#include "endpoints/addresses.hpp"

#include "engine/next_hops.hpp"

namespace softfeb::endpoints {

namespace {

std::optional<roce::VlanTag> tag_of(const config::EndpointConfig& e) {
  if (!e.vlan) return std::nullopt;
  return roce::VlanTag{*e.vlan, e.pcp};
}

}  // namespace

engine::Identity identity_of(const config::EndpointConfig& e) {
  return {e.mac, e.ip, e.prefix_length, tag_of(e), e.gateway};
}

roce::Path path_of(const config::EndpointConfig& e, const roce::IpAddress& peer) {
  roce::Path p;
  p.source_mac = e.mac;
  p.vlan = tag_of(e);
  p.source_ip = e.ip;
  p.dest_ip = peer;
  p.dscp = e.dscp;
  p.ecn = e.ecn;
  p.ttl = e.ttl;
  return p;
}

static_assert(engine::NextHops::kMost == config::kMostNextHops);

void add_neighbours(engine::Endpoint& endpoint, const config::EndpointConfig& e) {
  for (const config::Neighbour& n : e.neighbours) endpoint.host().neighbours().set_static(n.ip, n.mac);
}

}  // namespace softfeb::endpoints
