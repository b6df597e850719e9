// SPDX-License-Identifier: BSD-3-Clause
#include "config/address.hpp"
#include "config/checks.hpp"
#include "config/run_config.hpp"

#include <algorithm>
#include <set>
#include <string>

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
                       "join their switches by a link, or write a receiver of the same network");
  }
  if (!linked && from.port == to.port) {
    return unreachable(names + " are on one port, which does not receive its own packets",
                       "put the receiver on another port");
  }
  if (ring && config.ports[from.port].host != config.ports[to.port].host) {
    return unreachable(names + " are on two hosts, and a net_ring does not leave its host",
                       "use ports that a cable connects, or put both on one host");
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

namespace {

/// Adds the next hops of `qp` that ARP or neighbour discovery must resolve.
void add_next_hops(const RunConfig& config, const EndpointConfig& board, const QpConfig& qp,
                   std::set<IpAddress>& hops) {
  const auto add = [&](const IpAddress& ip) {
    const bool direct = same_prefix(ip, board.ip, board.prefix_length) || !board.gateway;
    hops.insert(direct ? ip : *board.gateway);
  };
  if (const auto* to = std::get_if<ReceiverTarget>(&qp.to)) {
    const std::size_t used = std::min<std::size_t>(qp.count, to->receivers.size());
    for (std::size_t i = 0; i < used; ++i) add(config.receivers[to->receivers[i]].endpoint.ip);
  } else if (const auto* address = std::get_if<AddressTarget>(&qp.to); address != nullptr && !address->mac) {
    add(address->ip);
  }
}

/// Returns the maximum number of next hops of the board. Boards with traffic generators get the limit of the
/// NaNet-10 board, whose ARP cache has 256 entries.
std::size_t most_next_hops(const BoardConfig& board) {
  return board.traffic_gen ? kMostNextHopsWithTrafficGen : kMostNextHops;
}

/// Reports a problem and returns false if the endpoint has too many static neighbours.
bool check_statics(Reading& reading, const RunConfig& config, const EndpointConfig& e,
                   std::size_t most = kMostNextHops) {
  if (e.neighbours.size() <= most) return true;
  reading.problem(config.place(e.where, "neighbours"),
                  std::to_string(e.neighbours.size()) + " static entries, more than the " +
                      std::to_string(most) + " that an endpoint keeps",
                  "let ARP or neighbour discovery resolve them, or use a `gateway`");
  return false;
}

bool check_board(Reading& reading, const RunConfig& config, const BoardConfig& board) {
  const EndpointConfig& e = board.endpoint;
  const std::size_t most = most_next_hops(board);
  if (!check_statics(reading, config, e, most)) return false;
  std::set<IpAddress> hops;
  for (const Neighbour& n : e.neighbours) hops.insert(n.ip);
  for (const QpConfig& qp : board.qps) {
    add_next_hops(config, e, qp, hops);
    if (hops.size() <= most) continue;
    reading.problem(qp.to_where,
                    "board \"" + e.name + "\" has more than the " + std::to_string(most) +
                        " next hops that a board " + (board.traffic_gen ? "with traffic generators " : "") +
                        "keeps, static neighbours counted",
                    "distribute its queue pairs over fewer receivers, use more boards, or put receivers into "
                    "another prefix behind the board's `gateway`");
    return false;
  }
  return true;
}

}  // namespace

void check_neighbours(Reading& reading, const RunConfig& config) {
  for (const BoardConfig& board : config.boards) {
    // Report only the first board, because its replicas have the same problem.
    if (!check_board(reading, config, board)) break;
  }
  for (const ReceiverConfig& receiver : config.receivers) {
    if (!check_statics(reading, config, receiver.endpoint)) break;
  }
}

}  // namespace softfeb::config
