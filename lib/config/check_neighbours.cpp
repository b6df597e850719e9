// SPDX-License-Identifier: BSD-3-Clause
#include "config/check_neighbours.hpp"

#include "config/address.hpp"
#include "config/limits.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace softfeb::config {
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

std::string most() { return std::to_string(kMostNextHops); }

/// Returns false if there is a problem.
bool check_statics(Reading& reading, const RunConfig& config, const EndpointConfig& e) {
  if (e.neighbours.size() <= kMostNextHops) return true;
  reading.problem(config.place(e.where, "neighbours"),
                  std::to_string(e.neighbours.size()) + " static entries, more than the " + most() +
                      " that an endpoint keeps",
                  "let ARP or neighbour discovery resolve them, or use a `gateway`");
  return false;
}

bool check_board(Reading& reading, const RunConfig& config, const BoardConfig& board) {
  const EndpointConfig& e = board.endpoint;
  if (!check_statics(reading, config, e)) return false;
  std::set<IpAddress> hops;
  for (const Neighbour& n : e.neighbours) hops.insert(n.ip);
  for (const QpConfig& qp : board.qps) {
    add_next_hops(config, e, qp, hops);
    if (hops.size() <= kMostNextHops) continue;
    reading.problem(qp.to_where,
                    "board \"" + e.name + "\" has more than the " + most() +
                        " next hops that a board keeps, static neighbours counted",
                    "distribute its queue pairs over fewer receivers, use more boards, or put receivers into "
                    "another prefix behind the board's `gateway`");
    return false;
  }
  return true;
}

}  // namespace

void check_neighbours(Reading& reading, const RunConfig& config) {
  for (const BoardConfig& board : config.boards) {
    if (!check_board(reading, config, board)) break;  // replicas have the same problem
  }
  for (const ReceiverConfig& receiver : config.receivers) {
    if (!check_statics(reading, config, receiver.endpoint)) break;
  }
}

}  // namespace softfeb::config
