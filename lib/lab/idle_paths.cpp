// SPDX-License-Identifier: BSD-3-Clause
#include "lab/idle_paths.hpp"

#include "engine/link_shaper.hpp"
#include "roce/headers.hpp"
#include "roce/ip.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

namespace softfeb::lab {

namespace {

using engine::IdlePath;
using fabric::NodeRef;
using Hops = std::vector<IdlePath::Hop>;

/// Finds the links between stations. If there are several shortest paths, this class selects any of them. The
/// links of all these paths should therefore have the same rates and delays.
class Links {
 public:
  explicit Links(const fabric::NetworkConfig& network)
      : network_(network), links_of_(network.stations.size() + network.switches.size()) {
    for (std::size_t i = 0; i < network.links.size(); ++i) {
      links_of_[number_of(network.links[i].a)].push_back(i);
      links_of_[number_of(network.links[i].b)].push_back(i);
    }
  }

  /// Returns the links on the path from station `from` to station `to`, in path order; empty if there is no
  /// path.
  Hops between(std::uint32_t from, std::uint32_t to) const {
    // Searches from the destination, so that the link in `link_to` of each node leads towards the
    // destination.
    std::vector<std::optional<std::size_t>> link_to(links_of_.size());
    std::vector<bool> seen(links_of_.size(), false);
    std::deque<std::size_t> todo{to};
    seen[to] = true;
    while (!todo.empty() && !seen[from]) {
      const std::size_t here = todo.front();
      todo.pop_front();
      for (const std::size_t link : links_of_[here]) {
        const std::size_t next = other_end(link, here);
        if (seen[next]) continue;
        seen[next] = true;
        link_to[next] = link;
        todo.push_back(next);
      }
    }
    Hops hops;
    if (!seen[from]) return hops;
    for (std::size_t here = from; here != to; here = other_end(*link_to[here], here))
      hops.push_back({network_.links[*link_to[here]].rate, network_.links[*link_to[here]].delay});
    return hops;
  }

 private:
  /// Index of a node: stations first, then switches.
  std::size_t number_of(const NodeRef& n) const {
    return n.kind == NodeRef::Kind::kStation ? n.index : network_.stations.size() + n.index;
  }
  std::size_t other_end(std::size_t link, std::size_t node) const {
    const std::size_t a = number_of(network_.links[link].a);
    return a == node ? number_of(network_.links[link].b) : a;
  }

  const fabric::NetworkConfig& network_;
  std::vector<std::vector<std::size_t>> links_of_;  ///< indices of each node's links
};

}  // namespace

void find_idle_paths(const config::LabConfig& config, endpoints::Plans& plans) {
  const Links links(config.network);
  // Queue pairs of one board with the same QpConfig and the same receiver have the same path.
  std::map<std::tuple<std::size_t, const config::QpConfig*, std::size_t>, std::shared_ptr<const IdlePath>>
      known;
  for (endpoints::QpPlan& plan : plans.all()) {
    if (!plan.config->traffic.random() || !plan.target.receiver) continue;
    auto [at, fresh] = known.try_emplace({plan.board, plan.config, *plan.target.receiver});
    if (fresh) {
      const config::BoardConfig& board = config.run.boards[plan.board];
      const auto from = config.station_of[plan.board];
      const auto to = config.station_of[config.run.boards.size() + *plan.target.receiver];
      IdlePath path;
      if (from && to) path.hops = links.between(*from, *to);
      path.board_rate = board.link_rate.value_or(0);
      path.board_slack = engine::LinkShaper::kSlack;
      path.pmtu = plan.config->pmtu;
      path.headers = config::wire_overhead(board, *plan.config) - roce::kWireOverhead;
      path.immediate = plan.config->traffic.verb == roce::WrOpcode::kWriteImm;
      if (!path.hops.empty()) at->second = std::make_shared<const IdlePath>(std::move(path));
    }
    plan.idle_path = at->second;
  }
}

}  // namespace softfeb::lab
