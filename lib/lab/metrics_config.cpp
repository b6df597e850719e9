// SPDX-License-Identifier: BSD-3-Clause
#include "lab/metrics_config.hpp"

#include "base/uint128.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace softfeb::lab {

namespace {

using fabric::NodeRef;

constexpr std::uint32_t kNowhere = UINT32_MAX;

/// Returns the requested payload rate of a queue pair with random lengths in a closed loop, in bytes per
/// second. Empty if the rate is unlimited or is given in packets. If it is given in packets, the payload rate
/// is unknown, because the last packet of a message is shorter than the others.
std::optional<std::uint64_t> asked_of_lengths(const config::TrafficConfig& t) {
  if (t.rate.unit == config::Rate::Unit::kPayloadBytes) return t.rate.per_second;
  if (t.rate.unit != config::Rate::Unit::kMessages) return std::nullopt;
  return static_cast<std::uint64_t>(static_cast<double>(t.rate.per_second) * t.mean_length());
}

/// Returns the requested payload rate of a queue pair in bytes per second, or std::nullopt if it is
/// unlimited.
std::optional<std::uint64_t> asked_of(const config::QpConfig& qp) {
  const config::TrafficConfig& t = qp.traffic;
  if (t.arrivals) return static_cast<std::uint64_t>(t.arrivals->rate * t.mean_length() / qp.count);
  if (t.lengths) return asked_of_lengths(t);
  const std::uint64_t packets =
      std::max<std::uint64_t>(1, (std::uint64_t{t.message_size} + qp.pmtu - 1) / qp.pmtu);
  switch (t.rate.unit) {
    case config::Rate::Unit::kPayloadBytes:
      return t.rate.per_second;
    case config::Rate::Unit::kPackets:
      return static_cast<std::uint64_t>(Uint128{t.rate.per_second} * t.message_size / packets);
    case config::Rate::Unit::kMessages:
      return static_cast<std::uint64_t>(Uint128{t.rate.per_second} * t.message_size);
    case config::Rate::Unit::kPeriod:
      return static_cast<std::uint64_t>(Uint128{t.message_size} * kSecond / t.rate.period);
    case config::Rate::Unit::kUnlimited:
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

/// Returns the link rate of a board in bytes per second: the rate of the board's own shaper if the board has
/// a shaper, otherwise the rate of the board's link.
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

MetricsConfig::Port port_of(const config::LabConfig& config) {
  return {config.lab.bottleneck_switch, *config.lab.bottleneck};
}

}  // namespace

PortPaths::PortPaths(const fabric::NetworkConfig& network, const MetricsConfig::Port& port)
    : hops_(network),
      link_(port.link),
      back_(network.links[port.link].a != NodeRef{NodeRef::Kind::kSwitch, port.switch_index}) {}

MetricsConfig make_metrics_config(const config::LabConfig& config, std::vector<MetricsConfig::Flow> flows) {
  MetricsConfig m;
  m.end = config.run.run.duration.value_or(kNever);
  m.interval = config.lab.sample_interval;
  for (std::size_t b = 0; b < config.run.boards.size(); ++b) {
    const config::BoardConfig& board = config.run.boards[b];
    m.boards.push_back(
        {{board.start, board.stop.value_or(kNever)}, link_rate_of(config, b), asked_of(board)});
  }
  std::optional<PortPaths> paths;
  if (config.lab.bottleneck) {
    m.bottleneck = port_of(config);
    paths.emplace(config.network, *m.bottleneck);
  }
  for (MetricsConfig::Flow& f : flows) {
    if (!paths || !f.receiver) continue;
    const std::uint32_t from = config.station_of[f.board].value_or(kNowhere);
    const std::uint32_t to = config.station_of[*f.receiver].value_or(kNowhere);
    if (from == kNowhere || to == kNowhere) continue;
    f.through_bottleneck = paths->passes(from, to);
  }
  m.flows = std::move(flows);
  return m;
}

}  // namespace softfeb::lab
