// SPDX-License-Identifier: BSD-3-Clause
#include "config/check_path.hpp"

#include "config/address.hpp"

namespace softfeb::config {

bool reachable(const EndpointConfig& from, const IpAddress& ip) {
  return from.ip.is_v4() == ip.is_v4() && (from.gateway || same_prefix(from.ip, ip, from.prefix_length));
}

namespace {

/// Returns false if the endpoints' links lead to different networks. Endpoints on ports always pass, because
/// the file does not say where the ports lead.
bool check_links(const EndpointConfig& from, const EndpointConfig& to) {
  return !from.network || !to.network || from.network == to.network;
}

}  // namespace

bool check_path(Reading& reading, const RunConfig& config, const EndpointConfig& from,
                const EndpointConfig& to, const Where& where) {
  const auto unreachable = [&](std::string message, std::string fix) {
    reading.problem(where, std::move(message), std::move(fix));
    return false;
  };
  const std::string names = '"' + from.name + "\" and \"" + to.name + '"';
  const Device& a = config.ports[from.port].device;
  const Device& b = config.ports[to.port].device;
  const bool ring = a.kind == DeviceKind::kRing || b.kind == DeviceKind::kRing;
  const bool linked = from.network || to.network;
  if (!check_links(from, to)) {
    return unreachable("there is no path from \"" + from.name + "\" to \"" + to.name + '"',
                       "connect their switches with a link, or choose a receiver in the same network");
  }
  if (!linked && from.port == to.port) {
    return unreachable(names + " are on one port, which does not receive its own packets",
                       "put the receiver on another port");
  }
  if (!linked && ring && (a.kind != b.kind || a.name != b.name)) {
    return unreachable("no link connects " + names, "put them at the two ends of one net_ring link");
  }
  if (ring && from.vlan != to.vlan)
    return unreachable(names + " are in different VLANs", "use the same `vlan`");
  if (!reachable(from, to.ip) || !reachable(to, from.ip)) {
    return unreachable(names + " cannot reach each other's address",
                       "use one prefix for both, or give each a `gateway`");
  }
  return true;
}

}  // namespace softfeb::config
