// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/scene.hpp"

#include "config/address.hpp"
#include "endpoints/endpoints.hpp"
#include "lab/flows.hpp"

#include <variant>

namespace softfeb::telemetry {
namespace {

using config::DcqcnConfig;

const char* algorithm_name(DcqcnConfig::Algorithm a) {
  switch (a) {
    case DcqcnConfig::Algorithm::kFirmware:
      return "firmware";
    case DcqcnConfig::Algorithm::kPaper:
      return "paper";
    case DcqcnConfig::Algorithm::kOff:
      break;
  }
  return "off";
}

/// Destination of the `i`-th QP of a group.
std::string target_of(const config::RunConfig& config, const config::QpConfig& group, std::uint32_t i) {
  if (const auto* r = std::get_if<config::ReceiverTarget>(&group.to))
    return config.receivers[r->receivers[i % r->receivers.size()]].endpoint.name;
  if (const auto* a = std::get_if<config::AddressTarget>(&group.to)) return config::to_string(a->ip);
  return group.to_text;
}

/// Does not fill in the queue pairs.
Scene::Board board_of(const config::BoardConfig& b) {
  Scene::Board out;
  out.name = b.endpoint.name;
  out.ip = config::to_string(b.endpoint.ip);
  out.link_rate = b.link_rate.value_or(0);
  out.control = b.control.has_value();
  return out;
}

}  // namespace

std::size_t Scene::qps() const {
  std::size_t n = 0;
  for (const Board& b : boards) n += b.qps.size();
  return n;
}

stats::BoardRates Scene::Board::rates(const engine::EndpointSnapshot& board) const {
  return stats::board_rates(board, qps.size(), [this](std::size_t i) { return qps[i].own_rate; });
}

Scene make_scene(const config::RunConfig& config, const std::vector<endpoints::QpPlan>& plans,
                 const std::string& version) {
  Scene scene;
  scene.title = config.file.substr(config.file.rfind('/') + 1);
  scene.version = version;
  for (const config::BoardConfig& b : config.boards) scene.boards.push_back(board_of(b));
  const std::vector<bool> own = lab::own_rates(config, plans);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const endpoints::QpPlan& plan = plans[i];
    const DcqcnConfig& d = endpoints::dcqcn_of(config.boards[plan.board], *plan.config);
    scene.boards[plan.board].qps.push_back(
        {plan.qpn, target_of(config, *plan.config, plan.number), algorithm_name(d.algorithm), own[i]});
  }
  scene.deliveries = stats::DeliveryMap(config, plans);
  for (const config::ReceiverConfig& r : config.receivers) scene.receivers.push_back(r.endpoint.name);
  return scene;
}

void add_network(Scene& scene, const fabric::NetworkConfig& network, std::uint32_t bottleneck,
                 std::uint32_t bottleneck_switch) {
  const auto name = [&](const fabric::NodeRef& n) {
    return n.kind == fabric::NodeRef::Kind::kSwitch ? network.switches[n.index].name
                                                    : network.stations[n.index].name;
  };
  for (std::uint32_t s = 0; s < network.switches.size(); ++s) {
    const fabric::SwitchConfig& config = network.switches[s];
    const fabric::NodeRef self{fabric::NodeRef::Kind::kSwitch, s};
    for (std::uint32_t l = 0; l < network.links.size(); ++l) {
      const fabric::LinkConfig& link = network.links[l];
      if (!(link.a == self) && !(link.b == self)) continue;
      Scene::Port port;
      port.switch_name = config.name;
      port.peer = name(link.a == self ? link.b : link.a);
      port.name = port.switch_name + '.' + port.peer;
      port.switch_index = s;
      port.link = l;
      port.rate = link.rate;
      port.buffer = config.buffer;
      port.bottleneck = l == bottleneck && s == bottleneck_switch;
      for (const fabric::QueueConfig& q : config.queues) {
        if (!q.ecn.enabled || port.ecn) continue;
        port.ecn = true;
        port.kmin = q.ecn.kmin;
        port.kmax = q.ecn.kmax;
      }
      scene.ports.push_back(std::move(port));
    }
  }
}

}  // namespace softfeb::telemetry
