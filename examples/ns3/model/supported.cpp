// SPDX-License-Identifier: BSD-3-Clause
#include "supported.hpp"

#include "config/error.hpp"
#include "fabric/config.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace softfeb::ns3model {

namespace {

using Problems = std::vector<config::Problem>;

const char* const kFix = "remove it, or run the file with `softfeb lab --virtual` alone";

bool any_queue(const fabric::SwitchConfig& sw, bool (*has)(const fabric::QueueConfig&)) {
  return std::any_of(sw.queues.begin(), sw.queues.end(), has);
}

}  // namespace

std::vector<std::string> unsupported(const fabric::SwitchConfig& sw) {
  using Queue = fabric::QueueConfig;
  const std::vector<std::pair<bool, const char*>> settings{
      {sw.dynamic_alpha != 0, "dynamic_alpha"},
      {sw.pause.xoff_alpha != 0, "pause.xoff_alpha"},
      {sw.pause.headroom_pool != 0, "pause.headroom_pool"},
      {sw.memory.cell != 1 || sw.memory.cell_overhead != 0, "cell"},
      {sw.memory.mac_leak != 0, "mac_leak"},
      {any_queue(sw, [](const Queue& q) { return q.minimum != 0; }), "queues.minimum"},
      {any_queue(sw, [](const Queue& q) { return q.rates.any(); }), "queues.min_rate or max_rate"},
      {any_queue(sw, [](const Queue& q) { return q.ecn.extended(); }), "ecn.at, weight or not_ect"},
      {sw.scheduler.by_packets, "scheduler: wrr"},
      {sw.scheduler.port_rate != 0, "port_rate"},
      {sw.times.any(), "pipeline, pause_response, pause_generation or cut_through"},
      {sw.watchdog.detection != 0, "watchdog"},
      {sw.forge.threshold != 0, "forge"},
      {sw.int_on, "int"},
      {sw.mtu != 0, "mtu"},
      {sw.routes, "route"},
      {sw.trust_pcp, "trust: pcp"},
  };
  std::vector<std::string> names;
  for (const auto& [given, name] : settings)
    if (given) names.emplace_back(name);
  return names;
}

void check_supported(const config::LabConfig& config) {
  Problems problems;
  const fabric::NetworkConfig& network = config.network;
  const std::string& file = config.lab.where.file;
  if (network.multipath)
    problems.push_back({{file, 0, "network.multipath"}, "the switch of this model has only one path", kFix});
  for (std::size_t s = 0; s < network.switches.size(); ++s) {
    const fabric::SwitchConfig& sw = network.switches[s];
    for (const std::string& name : unsupported(sw))
      problems.push_back({{file, 0, "network.switches." + std::to_string(s)},
                          "the switch of this model has no `" + name + "`, which " + sw.name + " uses",
                          kFix});
  }
  for (std::size_t l = 0; l < network.links.size(); ++l) {
    const fabric::LinkConfig& link = network.links[l];
    const auto& rules = config.link_rules[l];
    if (link.a_to_b.any() || link.b_to_a.any() || !rules[0].rules.empty() || !rules[1].rules.empty())
      problems.push_back({config.link_wheres[l], "the links of this model have no faults", kFix});
    if (link.vlans)
      problems.push_back({config.link_wheres[l], "the links of this model have no `vlans`", kFix});
  }
  if (!problems.empty()) throw config::ConfigError(std::move(problems));
}

}  // namespace softfeb::ns3model
