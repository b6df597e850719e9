// SPDX-License-Identifier: BSD-3-Clause
#include "lab/network_load.hpp"

#include "fabric/hops.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>

namespace softfeb::lab {

namespace {

using fabric::NodeRef;

/// Payload bytes that a receiver checks and stores in the time that a switch needs for a frame.
constexpr double kStoredPerFrame = 2048;
/// Bytes that a frame occupies on the wire in addition to its payload: headers, iCRC, FCS, preamble and gap.
constexpr double kOverhead = 82;

/// How many data frames per second a queue pair may send (`frames`), and how many frames a message takes.
struct QpFrames {
  double frames = 0;
  double per_message = 1;
  double payload = 0;  ///< payload of a frame in bytes
};

QpFrames frames_of_qp(const config::QpConfig& qp, double link_share) {
  const config::TrafficConfig& traffic = qp.traffic;
  const double length = std::max(1.0, traffic.mean_length());
  const double payload = std::min<double>(qp.pmtu, length);
  QpFrames s{link_share / (payload + kOverhead), std::max(1.0, length / qp.pmtu), payload};
  double limit = s.frames;
  if (traffic.arrivals) limit = traffic.arrivals->rate * s.per_message;
  const auto per_second = static_cast<double>(traffic.rate.per_second);
  switch (traffic.rate.unit) {
    case engine::RateKind::kUnlimited:
      break;
    case engine::RateKind::kPayloadBytes:
      limit = per_second / payload;
      break;
    case engine::RateKind::kPackets:
      limit = per_second;
      break;
    case engine::RateKind::kMessages:
    case engine::RateKind::kPeriod:
      limit = traffic.rate.messages_per_second() * s.per_message;
      break;
  }
  s.frames = std::min(s.frames, limit);
  return s;
}

struct Traffic {
  /// Frames per second between stations: by destination, then by source.
  std::map<std::uint32_t, std::map<std::uint32_t, double>> frames;
  std::map<std::uint32_t, double> stored;  ///< payload bytes per second that each station receives
};

Traffic expected_traffic(const config::LabConfig& config, const endpoints::Plans& plans) {
  std::vector<double> qps(config.run.boards.size(), 0);
  for (const endpoints::QpPlan& plan : plans.all()) ++qps[plan.board];
  Traffic traffic;
  for (const endpoints::QpPlan& plan : plans.all()) {
    if (!plan.target.receiver) continue;
    const auto from = config.station_of[plan.board];
    const auto to = config.station_of[config.run.boards.size() + *plan.target.receiver];
    if (!from || !to) continue;
    const auto link_rate = static_cast<double>(config.run.boards[plan.board].link_rate.value_or(0));
    const QpFrames s = frames_of_qp(*plan.config, link_rate / qps[plan.board]);
    traffic.frames[*to][*from] += s.frames;
    traffic.stored[*to] += s.frames * s.payload;
    if (plan.config->transport == roce::Transport::kRc)
      traffic.frames[*from][*to] += s.frames / s.per_message;
  }
  return traffic;
}

/// Distributes the frames to one station over the switches.
class Flood {
 public:
  Flood(const fabric::NetworkConfig& network, const fabric::Hops& hops, std::uint32_t to)
      : network_(network),
        hops_(hops),
        left_(hops.to({NodeRef::Kind::kStation, to})),
        links_(network.switches.size()) {
    for (std::size_t l = 0; l < network.links.size(); ++l) {
      for (const auto& [here, there] : {std::pair{network.links[l].a, network.links[l].b},
                                        std::pair{network.links[l].b, network.links[l].a}})
        if (here.kind == NodeRef::Kind::kSwitch && left_of(there) != fabric::Hops::kUnreachable &&
            left_of(there) + 1 == left_of(here))
          links_[here.index].push_back({l, there});
    }
  }

  void run(const std::map<std::uint32_t, double>& sources, NetworkLoad& load) {
    std::vector<double> at(network_.switches.size(), 0);
    for (std::size_t l = 0; l < network_.links.size(); ++l)
      for (const auto& [station, sw] : {std::pair{network_.links[l].a, network_.links[l].b},
                                        std::pair{network_.links[l].b, network_.links[l].a}})
        enter(sources, station, sw, l, at, load);
    std::vector<std::uint32_t> order(at.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [this](std::uint32_t x, std::uint32_t y) {
      return left_of(switch_node(x)) > left_of(switch_node(y));
    });
    for (const std::uint32_t s : order) pass(s, at, load);
  }

 private:
  struct Next {
    std::size_t link = 0;
    NodeRef node;
  };

  static NodeRef switch_node(std::uint32_t s) { return {NodeRef::Kind::kSwitch, s}; }
  std::uint32_t left_of(const NodeRef& node) const { return left_[hops_.index_of(node)]; }

  static void enter(const std::map<std::uint32_t, double>& sources, const NodeRef& station, const NodeRef& sw,
                    std::size_t link, std::vector<double>& at, NetworkLoad& load) {
    if (station.kind != NodeRef::Kind::kStation || sw.kind != NodeRef::Kind::kSwitch) return;
    const auto source = sources.find(station.index);
    if (source == sources.end()) return;
    at[sw.index] += source->second;
    load.switches[sw.index] += source->second;
    load.links[link] += source->second;
  }

  void pass(std::uint32_t s, std::vector<double>& at, NetworkLoad& load) const {
    if (at[s] == 0 || links_[s].empty()) return;
    load.switches[s] += at[s];
    const double share = at[s] / static_cast<double>(links_[s].size());
    for (const Next& next : links_[s]) {
      load.links[next.link] += share;
      if (next.node.kind == NodeRef::Kind::kSwitch) at[next.node.index] += share;
      if (next.node.kind == NodeRef::Kind::kStation) load.switches[s] += share;
    }
  }

  const fabric::NetworkConfig& network_;
  const fabric::Hops& hops_;
  const std::vector<std::uint32_t>& left_;  ///< for each node: number of links on the way to the station
  std::vector<std::vector<Next>> links_;    ///< next hops of each switch
};

}  // namespace

NetworkLoad expected_load(const config::LabConfig& config, const endpoints::Plans& plans) {
  NetworkLoad load;
  load.switches.assign(config.network.switches.size(), 0);
  load.links.assign(config.network.links.size(), 0);
  const fabric::Hops hops(config.network);
  const Traffic traffic = expected_traffic(config, plans);
  for (const auto& [to, sources] : traffic.frames) Flood(config.network, hops, to).run(sources, load);
  for (const fabric::LinkConfig& link : config.network.links) {
    for (const auto& [station, sw] : {std::pair{link.a, link.b}, std::pair{link.b, link.a}}) {
      if (station.kind != NodeRef::Kind::kStation || sw.kind != NodeRef::Kind::kSwitch) continue;
      const auto stored = traffic.stored.find(station.index);
      if (stored != traffic.stored.end()) load.switches[sw.index] += stored->second / kStoredPerFrame;
    }
  }
  return load;
}

}  // namespace softfeb::lab
