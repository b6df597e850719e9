// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/run_info.hpp"

#include "config/address.hpp"
#include "endpoints/qp_congestion.hpp"
#include "fabric/names.hpp"

namespace softfeb::telemetry {
namespace {

using config::CongestionConfig;

/// Describes a board, without its queue pairs.
RunInfo::Board board_of(const config::BoardConfig& b) {
  RunInfo::Board out;
  out.name = b.endpoint.name;
  out.ip = config::to_string(b.endpoint.ip);
  out.link_rate = b.link_rate.value_or(0);
  out.control = b.control.has_value();
  return out;
}

}  // namespace

std::size_t RunInfo::qps() const {
  std::size_t n = 0;
  for (const Board& b : boards) n += b.qps;
  return n;
}

RunInfo make_run_info(const config::RunConfig& config, const std::vector<endpoints::QpPlan>& plans,
                      const std::string& version) {
  RunInfo info;
  info.title = config.file.substr(config.file.rfind('/') + 1);
  info.version = version;
  for (const config::BoardConfig& b : config.boards) info.boards.push_back(board_of(b));
  info.own_rates.resize(config.boards.size());
  const std::vector<bool> own = stats::own_rates(config, plans);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const endpoints::QpPlan& plan = plans[i];
    const CongestionConfig& d = endpoints::congestion_config_of(config.boards[plan.board], *plan.config);
    RunInfo::Board& board = info.boards[plan.board];
    ++board.qps;
    board.dcqcn = board.dcqcn || d.algorithm != CongestionConfig::Algorithm::kOff;
    info.own_rates[plan.board].push_back(own[i]);
  }
  info.deliveries = stats::DeliveryMap(config, plans);
  for (const config::ReceiverConfig& r : config.receivers) info.receivers.push_back(r.endpoint.name);
  return info;
}

void add_network(RunInfo& info, const fabric::NetworkConfig& network, std::uint32_t bottleneck,
                 std::uint32_t bottleneck_switch) {
  for (std::uint32_t s = 0; s < network.switches.size(); ++s) {
    const fabric::SwitchConfig& config = network.switches[s];
    const fabric::NodeRef self{fabric::NodeRef::Kind::kSwitch, s};
    for (std::uint32_t l = 0; l < network.links.size(); ++l) {
      const fabric::LinkConfig& link = network.links[l];
      if (!(link.a == self) && !(link.b == self)) continue;
      RunInfo::Port port;
      port.switch_name = config.name;
      port.peer = fabric::peer_name(network, self, l);
      port.name = port.switch_name + '.' + port.peer;
      port.rate = link.rate;
      port.buffer = config.buffer;
      port.bottleneck = l == bottleneck && s == bottleneck_switch;
      for (const fabric::QueueConfig& q : config.queues) {
        if (!q.ecn.enabled || port.ecn) continue;
        port.ecn = true;
        port.kmin = q.ecn.kmin;
        port.kmax = q.ecn.kmax;
      }
      info.ports.push_back(std::move(port));
    }
  }
}

}  // namespace softfeb::telemetry
