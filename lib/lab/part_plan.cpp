// SPDX-License-Identifier: BSD-3-Clause
#include "lab/part_plan.hpp"

#include "config/error.hpp"
#include "lab/network_load.hpp"
#include "lab/partition.hpp"

#include <algorithm>
#include <numeric>

namespace softfeb::lab {

namespace {

/// kPerVisit is the computing time of a frame at a switch or station, and kPerCrossing is the time to pass a
/// frame to another part, both in seconds. They were measured on a core of 2.6 GHz. The plan needs only their
/// order of magnitude.
constexpr double kPerVisit = 0.15e-6;
constexpr double kPerCrossing = 0.2e-6;

using fabric::NodeRef;

[[noreturn]] void refuse(const config::Where& where, const std::string& what, const std::string& fix) {
  throw config::ConfigError({{where, what, fix}});
}

bool holds(const config::LinkRulesConfig& rules) {
  return std::any_of(rules.rules.begin(), rules.rules.end(), [](const config::FaultRuleConfig& r) {
    return r.rule.action.kind == faults::ActionKind::kDelay ||
           r.rule.action.kind == faults::ActionKind::kReorder;
  });
}

bool between_switches(const fabric::LinkConfig& link) {
  return link.a.kind == NodeRef::Kind::kSwitch && link.b.kind == NodeRef::Kind::kSwitch;
}

/// Returns the reason why a link between switches must not be cut, or an empty text if it may be cut.
std::string obstacle(const config::LabConfig& lab, std::size_t link) {
  const Time delay = lab.network.links[link].delay;
  if (delay == 0) return "has no delay";
  if (delay < kShortestDelay) return "has a delay of less than 100 ns, so that parts would gain nothing";
  const auto& rules = lab.link_rules[link];
  if (holds(rules[0]) || holds(rules[1])) return "has fault rules that delay or reorder packets";
  return {};
}

config::Where place(const config::LabConfig& lab) {
  return lab.parts.where.key.empty() ? config::Where{"network.parts", 0, ""} : lab.parts.where;
}

/// Returns the parts that the configuration file lists.
std::vector<std::uint32_t> listed_parts(const config::LabConfig& lab) {
  std::vector<std::uint32_t> part_of(lab.network.switches.size(), 0);
  for (std::uint32_t p = 0; p < lab.parts.switches.size(); ++p)
    for (const std::uint32_t s : lab.parts.switches[p]) part_of[s] = p;
  for (std::size_t l = 0; l < lab.network.links.size(); ++l) {
    const fabric::LinkConfig& link = lab.network.links[l];
    if (!between_switches(link) || part_of[link.a.index] == part_of[link.b.index]) continue;
    if (const std::string why = obstacle(lab, l); !why.empty())
      refuse(place(lab), "the link " + lab.link_names[l] + " between two parts " + why,
             "put its switches into the same part");
  }
  return part_of;
}

/// Chooses the parts automatically; `parts` is their number.
std::vector<std::uint32_t> chosen_parts(const config::LabConfig& lab, const NetworkLoad& load,
                                        std::uint32_t parts) {
  Partition partition(load.switches);
  std::string kept;  // for the error message: a link that must not be cut
  for (std::size_t l = 0; l < lab.network.links.size(); ++l) {
    const fabric::LinkConfig& link = lab.network.links[l];
    if (!between_switches(link)) continue;
    partition.connect(link.a.index, link.b.index, load.links[l]);
    const std::string why = obstacle(lab, l);
    if (why.empty()) continue;
    partition.join(link.a.index, link.b.index);
    if (kept.empty()) kept = "; the link " + lab.link_names[l] + ", for example, " + why;
  }
  const std::size_t most = partition.groups();
  if (parts > most)
    refuse(
        place(lab), "the network cannot be cut into " + std::to_string(parts) + " parts" + kept,
        most <= 1 ? "run it in one process" : "use at most " + std::to_string(most) + " parts or processes");
  return partition.divide(parts);
}

void place_stations(const config::LabConfig& lab, simulator::Parting& parting) {
  parting.part_of_station.assign(lab.network.stations.size(), 0);
  for (const fabric::LinkConfig& link : lab.network.links)
    for (const auto& [station, sw] : {std::pair{link.a, link.b}, std::pair{link.b, link.a}})
      if (station.kind == NodeRef::Kind::kStation && sw.kind == NodeRef::Kind::kSwitch)
        parting.part_of_station[station.index] = parting.part_of_switch[sw.index];
}

/// Fills in everything that follows from the assignment of switches to parts.
void complete(const config::LabConfig& lab, const NetworkLoad& load, PartPlan& plan) {
  simulator::Parting& parting = plan.parting;
  place_stations(lab, parting);
  plan.switches.resize(parting.parts);
  plan.load.resize(parting.parts);
  for (std::uint32_t s = 0; s < parting.part_of_switch.size(); ++s) {
    plan.switches[parting.part_of_switch[s]].push_back(s);
    plan.load[parting.part_of_switch[s]] += load.switches[s];
  }
  for (std::size_t l = 0; l < lab.network.links.size(); ++l) {
    const fabric::LinkConfig& link = lab.network.links[l];
    if (!between_switches(link) ||
        parting.part_of_switch[link.a.index] == parting.part_of_switch[link.b.index])
      continue;
    ++plan.cut_links;
    plan.crossings += load.links[l];
    parting.delay = std::min(parting.delay, link.delay);
  }
  const double window = plan.cut_links == 0 ? 0 : to_seconds(parting.window());
  plan.crossings *= window;
  plan.work = *std::max_element(plan.load.begin(), plan.load.end()) * window * kPerVisit;
  const double all = std::accumulate(plan.load.begin(), plan.load.end(), 0.0);
  for (double& share : plan.load) share = all == 0 ? 1.0 / parting.parts : share / all;
}

}  // namespace

double PartPlan::exchange_share(double exchange) const {
  const double cost = exchange + crossings / parting.parts * kPerCrossing;
  return cut_links == 0 ? 0 : cost / (cost + work);
}

PartPlan plan_parts(const config::LabConfig& lab, const endpoints::Plans& plans, std::uint32_t processes) {
  const std::uint32_t parts = lab.parts.count == 0 ? processes : lab.parts.count;
  if (parts < processes)
    refuse(place(lab),
           std::to_string(processes) + " processes were started for " + std::to_string(parts) + " parts",
           "start " + std::to_string(parts) + (parts == 1 ? " process" : " processes") +
               ", or write `network.parts: auto`");
  PartPlan plan;
  plan.parting.parts = parts;
  plan.parting.flows = std::max(plan.parting.flows, 4 * plans.all().size());
  const NetworkLoad load = expected_load(lab, plans);
  plan.parting.part_of_switch = !lab.parts.switches.empty() ? listed_parts(lab)
                                : parts == 1 ? std::vector<std::uint32_t>(lab.network.switches.size(), 0)
                                             : chosen_parts(lab, load, parts);
  complete(lab, load, plan);
  return plan;
}

}  // namespace softfeb::lab
