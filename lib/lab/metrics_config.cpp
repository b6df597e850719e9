// SPDX-License-Identifier: BSD-3-Clause
#include "lab/metrics_config.hpp"

#include "base/uint128.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace softfeb::lab {

namespace {

using fabric::NodeRef;

/// A node and the link by which it was reached.
struct Step {
  NodeRef from;
  std::uint32_t link = 0;
};

constexpr std::uint32_t kNowhere = UINT32_MAX;

std::pair<int, std::uint32_t> key(const NodeRef& n) { return {static_cast<int>(n.kind), n.index}; }

/// Payload bytes per second that a queue pair was asked to send; none: all it can.
std::optional<std::uint64_t> asked_of(const config::QpConfig& qp) {
  const config::TrafficConfig& t = qp.traffic;
  const std::uint64_t packets =
      std::max<std::uint64_t>(1, (std::uint64_t{t.message_size} + qp.pmtu - 1) / qp.pmtu);
  switch (t.rate.unit) {
    case config::Rate::Unit::kPayloadBytes:
      return t.rate.per_second;
    case config::Rate::Unit::kPackets:
      return static_cast<std::uint64_t>(Uint128{t.rate.per_second} * t.message_size / packets);
    case config::Rate::Unit::kMessages:
      return static_cast<std::uint64_t>(Uint128{t.rate.per_second} * t.message_size);
    case config::Rate::Unit::kMax:
      break;
  }
  return std::nullopt;
}

std::uint64_t asked_of(const config::BoardConfig& board) {
  std::uint64_t sum = 0;
  for (const config::QpConfig& qp : board.qps) {
    const auto asked = asked_of(qp);
    if (!asked) return 0;
    sum += *asked * qp.count;
  }
  return sum;
}

/// The rate at which a station's link takes frames: its board's own shaper, or the link.
std::uint64_t link_rate_of(const config::LabConfig& config, std::size_t board) {
  if (const auto own = config.run.boards[board].link_rate) return *own;
  const auto station = config.station_of[board];
  if (!station) return 0;
  const NodeRef node{NodeRef::Kind::kStation, *station};
  for (const fabric::LinkConfig& l : config.network.links) {
    if (l.a == node || l.b == node) return l.rate;
  }
  return 0;
}

/// Where every node that can be reached from `start` was reached from: the network is a forest.
std::map<std::pair<int, std::uint32_t>, Step> ways_from(const fabric::NetworkConfig& network, NodeRef start) {
  std::map<std::pair<int, std::uint32_t>, Step> ways{{key(start), {start, 0}}};
  std::vector<NodeRef> todo{start};
  while (!todo.empty()) {
    const NodeRef here = todo.back();
    todo.pop_back();
    for (std::uint32_t i = 0; i < network.links.size(); ++i) {
      const fabric::LinkConfig& l = network.links[i];
      if (!(l.a == here) && !(l.b == here)) continue;
      const NodeRef next = l.a == here ? l.b : l.a;
      if (ways.try_emplace(key(next), Step{here, i}).second) todo.push_back(next);
    }
  }
  return ways;
}

MetricsConfig::Port port_of(const config::LabConfig& config) {
  return {config.lab.bottleneck_switch, *config.lab.bottleneck};
}

}  // namespace

bool passes(const fabric::NetworkConfig& network, std::uint32_t from, std::uint32_t to,
            const MetricsConfig::Port& port) {
  const NodeRef start{NodeRef::Kind::kStation, from};
  const auto ways = ways_from(network, start);
  for (NodeRef here{NodeRef::Kind::kStation, to}; !(here == start);) {
    const auto step = ways.find(key(here));
    if (step == ways.end()) return false;
    const NodeRef before = step->second.from;
    if (before == NodeRef{NodeRef::Kind::kSwitch, port.switch_index} && step->second.link == port.link)
      return true;
    here = before;
  }
  return false;
}

MetricsConfig make_metrics_config(const config::LabConfig& config, std::vector<MetricsConfig::Flow> flows) {
  MetricsConfig m;
  m.end = config.run.run.duration.value_or(kNever);
  m.interval = config.lab.sample_interval;
  for (std::size_t b = 0; b < config.run.boards.size(); ++b) {
    const config::BoardConfig& board = config.run.boards[b];
    m.boards.push_back(
        {{board.start, board.stop.value_or(kNever)}, link_rate_of(config, b), asked_of(board)});
  }
  if (config.lab.bottleneck) m.bottleneck = port_of(config);
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> known;
  for (MetricsConfig::Flow& f : flows) {
    if (!m.bottleneck || !f.receiver) continue;
    const std::uint32_t from = config.station_of[f.board].value_or(kNowhere);
    const std::uint32_t to = config.station_of[*f.receiver].value_or(kNowhere);
    if (from == kNowhere || to == kNowhere) continue;
    const auto [at, fresh] = known.try_emplace({from, to}, false);
    if (fresh) at->second = passes(config.network, from, to, *m.bottleneck);
    f.through_bottleneck = at->second;
  }
  m.flows = std::move(flows);
  return m;
}

}  // namespace softfeb::lab
