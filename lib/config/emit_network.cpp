// SPDX-License-Identifier: BSD-3-Clause
#include "config/choices.hpp"
#include "config/emit.hpp"
#include "config/link_ends.hpp"
#include "config/units.hpp"
#include "fabric/names.hpp"

#include <array>
#include <cmath>
#include <cstddef>

namespace softfeb::config {
namespace {

/// Converts a probability in units of 2^-32 to the notation of the file. The result is exact, because
/// Probability::parts() is injective.
std::string emit_parts(std::uint64_t parts) {
  const std::uint64_t billionths = (parts * Probability::kOne + (std::uint64_t{1} << 31)) >> 32;
  return format_probability({static_cast<std::uint32_t>(billionths)});
}

/// Formats a multiple of 1/256 as an exact decimal.
std::string emit_alpha(std::uint32_t alpha) {
  if (alpha == 0) return "off";
  std::string text = std::to_string(alpha / 256);
  std::uint32_t rest = alpha % 256;
  if (rest != 0) text += '.';
  for (; rest != 0; rest = rest * 10 % 256) text += static_cast<char>('0' + rest * 10 / 256);
  return text;
}

Json emit_queue(std::size_t number, const fabric::QueueConfig& queue) {
  Json json;
  json["queue"] = number;
  if (queue.ecn.enabled) {
    json["kmin"] = format_size(queue.ecn.kmin);
    json["kmax"] = format_size(queue.ecn.kmax);
    json["pmax"] = emit_parts(queue.ecn.pmax);
  } else {
    json["ecn"] = "off";
  }
  json["lossless"] = queue.lossless;
  json["weight"] = queue.weight == 0 ? Json("strict") : Json(queue.weight);
  if (queue.minimum != 0) json["minimum"] = format_size(queue.minimum);
  if (queue.rates.min != 0) json["min_rate"] = format_bandwidth(queue.rates.min);
  if (queue.rates.max != 0) json["max_rate"] = format_bandwidth(queue.rates.max);
  if (queue.rates.any()) json["burst"] = format_size(queue.rates.burst);
  return json;
}

template <class Queues>
Json emit_map(const Queues& queues) {
  Json json = Json::object();
  for (std::size_t i = 0; i < queues.size(); ++i) json[std::to_string(i)] = queues[i];
  return json;
}

Json emit_pause(const fabric::PauseThresholds& pause) {
  Json json;
  if (pause.xoff_alpha != 0) {
    json["xoff_alpha"] = emit_alpha(pause.xoff_alpha);
    if (pause.xon != fabric::PauseThresholds::kNoXon) json["xon"] = format_size(pause.xon);
    json["xon_offset"] = format_size(pause.xon_offset);
  } else {
    json["xoff"] = format_size(pause.xoff);
    json["xon"] = format_size(pause.xon);
  }
  json["headroom"] = format_size(pause.headroom);
  if (pause.headroom_pool != 0) json["headroom_pool"] = format_size(pause.headroom_pool);
  json["quanta"] = pause.quanta;
  return json;
}

void emit_times(Json& json, const fabric::SwitchTimes& times) {
  if (!times.any()) return;
  json["pipeline"] = format_time(times.pipeline);
  json["pause_response"] = format_time(times.pause_response);
  json["pause_generation"] = format_time(times.pause_generation);
  json["cut_through"] = times.cut_through ? "on" : "off";
}

Json emit_multipath(const fabric::MultipathConfig& multipath) {
  Json fields = Json::array();
  for (const auto& [name, field] : choices::kHashField.names) {
    if ((multipath.fields & field) != 0) fields.push_back(name);
  }
  return {{"mode", choices::kMultipathMode.name(multipath.mode)},
          {"hash", std::move(fields)},
          {"seed", multipath.seed},
          {"polarised", multipath.polarised ? "on" : "off"}};
}

/// Writes the keys that differ from the defaults.
void emit_scheduler(Json& json, const fabric::SchedulerConfig& scheduler) {
  if (scheduler.by_packets) json["scheduler"] = choices::kScheduler.name(true);
  if (scheduler.overhead != fabric::SchedulerConfig{}.overhead)
    json["scheduler_overhead"] = scheduler.overhead;
  if (scheduler.port_rate == 0) return;
  json["port_rate"] = format_bandwidth(scheduler.port_rate);
  json["port_burst"] = format_size(scheduler.port_burst);
}

Json emit_switch(const fabric::SwitchConfig& config) {
  Json json;
  json["name"] = config.name;
  json["buffer"] = format_size(config.buffer);
  json["port_limit"] = format_size(config.port_limit);
  json["dynamic_alpha"] = emit_alpha(config.dynamic_alpha);
  // The section of each queue contains its thresholds, so they are omitted here.
  if (const fabric::EcnMarking& ecn = config.queues[0].ecn;
      ecn.at_dequeue || ecn.weight != 0 || ecn.drop_not_ect) {
    json["ecn"] = {{"at", choices::kMarkingAt.name(ecn.at_dequeue)},
                   {"weight", ecn.weight},
                   {"not_ect", choices::kNotEct.name(ecn.drop_not_ect)}};
  }
  if (config.priorities != 0) json["priorities"] = config.priorities;
  const std::size_t queues = config.priorities != 0 ? config.priorities : fabric::kQueues;
  json["queues"] = Json::array();
  for (std::size_t q = 0; q < queues; ++q) json["queues"].push_back(emit_queue(q, config.queues[q]));
  json["trust"] = choices::kTrust.name(config.trust_pcp);
  json["dscp_to_queue"] = emit_map(config.dscp_to_queue);
  json["pcp_to_queue"] = emit_map(config.pcp_to_queue);
  if (config.pause.given()) json["pause"] = emit_pause(config.pause);
  if (config.memory.cell != 1) json["cell"] = config.memory.cell;
  if (config.memory.cell_overhead != 0) json["cell_overhead"] = config.memory.cell_overhead;
  if (config.memory.mac_leak != 0) json["mac_leak"] = format_size(config.memory.mac_leak);
  emit_times(json, config.times);
  if (config.watchdog.detection != 0) {
    json["watchdog"] = {{"detection", format_time(config.watchdog.detection)},
                        {"restoration", format_time(config.watchdog.restoration)},
                        {"action", choices::kWatchdogAction.name(config.watchdog.action)}};
  }
  if (config.forge.threshold != 0) {
    json["forge"] = {{"threshold", format_bandwidth(config.forge.threshold)},
                     {"window", format_time(config.forge.window)},
                     {"interval", format_time(config.forge.interval)}};
  }
  if (config.int_on) json["int"] = "on";
  if (config.int_id != 0) json["int_id"] = config.int_id;
  emit_scheduler(json, config.scheduler);
  if (config.mtu != 0) {
    json["mtu"] = config.mtu;
    json["mtu_counts_tag"] = config.mtu_counts_tag ? "on" : "off";
  }
  if (config.routes) json["route"] = "on";
  if (config.multipath) json["multipath"] = emit_multipath(*config.multipath);
  return json;
}

Json emit_link_faults(const fabric::LinkFaults& faults, const LinkRulesConfig& rules) {
  Json json{{"drop", emit_parts(faults.drop)},
            {"duplicate", emit_parts(faults.duplicate)},
            {"corrupt", emit_parts(faults.corrupt)},
            {"reorder", emit_parts(faults.reorder)},
            {"reorder_by", format_time(faults.reorder_by)}};
  if (!rules.rules.empty()) emit_rules(json, rules.rules, rules.hold);
  return json;
}

Json emit_link(const fabric::NetworkConfig& network, const fabric::LinkConfig& link,
               const std::array<LinkRulesConfig, 2>& rules) {
  Json json;
  json["ends"] = {name_of(network, link.a), name_of(network, link.b)};
  json["rate"] = format_bandwidth(link.rate);
  json["delay"] = format_time(link.delay);
  json["flow_control"] = choices::kPauseMode.name(link.flow_control);
  if (link.vlans) {
    json["vlans"] = *link.vlans;
    json["untagged"] = link.untagged ? "on" : "off";
  }
  if (link.a_to_b.any() || link.b_to_a.any() || !rules[0].rules.empty() || !rules[1].rules.empty()) {
    json["faults"] = emit_link_faults(link.a_to_b, rules[0]);
    json["faults_back"] = emit_link_faults(link.b_to_a, rules[1]);
  }
  return json;
}

}  // namespace

Json emit_network(const LabConfig& config) {
  Json json;
  // `parts` is omitted, because a result must not depend on how many processes have computed it.
  json["worker"] = config.network_worker;
  json["mtu"] = config.mtu;
  if (config.network.multipath) json["multipath"] = emit_multipath(*config.network.multipath);
  json["switches"] = Json::array();
  for (const fabric::SwitchConfig& s : config.network.switches) json["switches"].push_back(emit_switch(s));
  json["links"] = Json::array();
  for (std::size_t l = 0; l < config.network.links.size(); ++l)
    json["links"].push_back(emit_link(config.network, config.network.links[l], config.link_rules[l]));
  return json;
}

Json emit_lab(const LabConfig& config) {
  const LabSettings& lab = config.lab;
  Json json;
  for (const auto& [key, text] :
       {std::pair{"title", lab.title}, {"shows", lab.shows}, {"corresponds", lab.corresponds}}) {
    if (!text.empty()) json[key] = text;
  }
  if (lab.bottleneck) {
    const fabric::NodeRef from{fabric::NodeRef::Kind::kSwitch, lab.bottleneck_switch};
    json["bottleneck"] =
        name_of(config.network, from) + '.' + fabric::peer_name(config.network, from, *lab.bottleneck);
  }
  json["sample_interval"] = format_time(lab.sample_interval);
  json["stolen_limit"] =
      format_probability({static_cast<std::uint32_t>(std::lround(lab.stolen_limit * Probability::kOne))});
  json["checks"] = Json::object();
  for (const LabCheck& check : lab.checks) json["checks"][check.name] = check.text;
  json["sweep"] = Json::array();
  for (const SweepAxis& axis : lab.sweep)
    json["sweep"].push_back({{"key", axis.key}, {"values", axis.values}});
  for (const Node& section : lab.compare) {
    Json& out = json["compare"][section.name] = Json::object();
    for (const Node& key : section.children) out[key.name] = key.text;
  }
  return json;
}

}  // namespace softfeb::config
