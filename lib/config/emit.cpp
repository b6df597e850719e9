// SPDX-License-Identifier: BSD-3-Clause
#include "config/emit.hpp"

#include "config/address.hpp"
#include "config/choices.hpp"
#include "config/load.hpp"
#include "config/units.hpp"

#include <yaml-cpp/yaml.h>

namespace softfeb::config {
namespace {

Json emit_run(const RunSettings& run) {
  Json json;
  if (run.duration) json["duration"] = format_time(*run.duration);
  if (run.messages) json["messages"] = *run.messages;
  json["warmup"] = format_time(run.warmup);
  if (run.start_at_unix_ns) json["start_at"] = format_wall_clock(*run.start_at_unix_ns);
  json["seed"] = run.seed;
  if (run.number != 0) json["number"] = run.number;
  json["quiet"] = run.quiet;
  json["drain_timeout"] = format_time(run.drain_timeout);
  json["connect_timeout"] = format_time(run.connect_timeout);
  json["series_interval"] = format_time(run.series_interval);
  json["series_qps"] = run.series_qps;
  if (run.cc_port != roce::kCongestionUdpPort) json["cc_port"] = run.cc_port;
  json["result_qps"] = run.result_qps ? Json(*run.result_qps) : Json("all");
  return json;
}

Json emit_eal(const EalConfig& eal) {
  Json json;
  json["hugepages"] = choices::kHugepages.name(eal.hugepages);
  if (eal.memory) json["memory"] = format_size(*eal.memory);
  if (eal.prefix) json["prefix"] = *eal.prefix;
  json["args"] = eal.args;
  return json;
}

Json emit_workers(const WorkersConfig& workers) {
  Json json;
  json["count"] = workers.count;
  json["cpus"] = workers.cpus;
  if (workers.main_cpu) json["main_cpu"] = *workers.main_cpu;
  json["idle"] = choices::kIdle.name(workers.idle);
  json["burst"] = workers.burst;
  return json;
}

Json emit_source_port(const roce::SourcePortPolicy& port) {
  switch (port.kind) {
    case roce::SourcePortPolicy::Kind::kHashed:
      return "hashed";
    case roce::SourcePortPolicy::Kind::kFixed:
      return port.first;
    case roce::SourcePortPolicy::Kind::kRange:
      break;
  }
  return Json::array({port.first, port.last});
}

Json emit_board(const RunConfig& config, const BoardConfig& board) {
  Json json = emit_endpoint(config, board.endpoint);
  if (board.link_rate) json["link_rate"] = format_bandwidth(*board.link_rate);
  if (board.post_delay != 0) json["post_delay"] = format_time(board.post_delay);
  json["start"] = format_time(board.start);
  if (board.stop) json["stop"] = format_time(*board.stop);
  json["udp_source_port"] = emit_source_port(board.udp_source_port);
  json["timing"] = choices::kTiming.name(board.timing);
  json["icrc"] = choices::kIcrc.name(board.icrc);
  json[board.congestion.key()] = emit_congestion(board.congestion);
  if (board.control) json["control"] = emit_control(config, *board.control);
  json["qps"] = Json::array();
  if (board.events) {
    json["events"] = emit_events(config, *board.events);
    return json;
  }
  if (board.traffic_gen && board.traffic_gen->given) {
    json["traffic_gen"] = emit_traffic_gen(config, *board.traffic_gen);
    if (board.traffic_gen->makes_qps()) return json;
  }
  for (const QpConfig& qp : board.qps) json["qps"].push_back(emit_qp(config, qp));
  return json;
}

Json emit_windows(const WindowsConfig& w) {
  return {{"layout", choices::kWindowLayout.name(w.layout)},
          {"ring", w.ring},
          {"depth", w.depth},
          {"max_jump", w.max_jump},
          {"first_immediate", w.first_immediate},
          {"loss_limit", format_probability(w.loss_limit)}};
}

Json emit_registration(const RegistrationSettings& r) {
  return {{"mask_bits", r.mask_bits},
          {"entries", r.entries},
          {"escape", r.escape},
          {"escape_timeout", format_time(r.escape_timeout)},
          {"entry_timeout", format_time(r.entry_timeout)},
          {"remember", r.remember}};
}

Json emit_receiver(const RunConfig& config, const ReceiverConfig& receiver) {
  Json json = emit_endpoint(config, receiver.endpoint);
  if (receiver.events) {
    json["events"] = emit_events(*receiver.events);
  } else if (receiver.windows) {
    json["windows"] = emit_windows(*receiver.windows);
  } else {
    json["memory"] = format_size(receiver.memory);
  }
  json["qpn"] = receiver.qpn;
  json["rnr_timer"] = receiver.rnr_timer;
  if (receiver.response_delay != 0) json["response_delay"] = format_time(receiver.response_delay);
  if (receiver.receives == UINT64_MAX) {
    json["receives"] = "unlimited";
  } else if (receiver.receive_rate != 0) {
    json["receives"] = {{"count", receiver.receives},
                        {"rate", format_rate({Rate::Unit::kMessages, receiver.receive_rate})}};
  } else {
    json["receives"] = receiver.receives;
  }
  if (receiver.streams) json["streams"] = emit_streams(*receiver.streams);
  if (receiver.registration.given) json["registration"] = emit_registration(receiver.registration);
  if (receiver.any_order) {
    json["ordering"] = choices::kOrdering.name(receiver.any_order);
    json["ordering_timeout"] = format_time(receiver.ordering_timeout);
  }
  json["check"] = choices::kCheck.name(receiver.check_payload);
  json["cnp"] = {{"enabled", receiver.cnp.enabled},
                 {"interval", format_time(receiver.cnp.interval)},
                 {"scope", choices::kCnpScope.name(receiver.cnp.scope)}};
  if (!receiver.out.empty()) json["out"] = receiver.out;
  return json;
}

Json emit_change(const RunConfig& config, const ChangeConfig& change) {
  Json json;
  json["at"] = format_time(change.at);
  json["board"] = config.boards[change.board].endpoint.name;
  json["qps"] = change.qp ? Json(*change.qp) : Json("all");
  Json& section = json[change.key];
  section = Json::object();
  for (const auto& [key, value] : change.given) section[key] = value;
  return json;
}

void write(YAML::Emitter& out, const Json& json) {
  if (json.is_object()) {
    out << YAML::BeginMap;
    for (const auto& [key, value] : json.items()) {
      out << YAML::Key << key << YAML::Value;
      write(out, value);
    }
    out << YAML::EndMap;
  } else if (json.is_array()) {
    const bool flow = json.empty() || !json.front().is_object();
    out << (flow ? YAML::Flow : YAML::Block) << YAML::BeginSeq;
    for (const Json& element : json) write(out, element);
    out << YAML::EndSeq;
  } else if (json.is_string()) {
    out << json.get<std::string>();
  } else {
    out << json.dump();
  }
}

/// Emits the sections that describe the machine and the run: `run`, `ports`, and the sections between them.
/// The section `ports` contains only the first `ports` elements of RunConfig::ports.
Json emit_machine(const RunConfig& config, std::size_t ports) {
  Json json;
  json["run"] = emit_run(config.run);
  if (config.latency.sample) json["latency"] = {{"sample", *config.latency.sample}};
  if (config.conformance) json["conformance"] = emit_conformance(*config.conformance);
  json["eal"] = emit_eal(config.eal);
  json["workers"] = emit_workers(config.workers);
  if (!config.hosts.empty()) {
    json["run"]["start_lead"] = format_time(config.run.start_lead);
    json["run"]["clock_limit"] = format_time(config.run.clock_limit);
    json["hosts"] = Json::array();
    for (const HostConfig& host : config.hosts) json["hosts"].push_back({{"name", host.name}});
  }
  json["ports"] = Json::array();
  for (std::size_t p = 0; p < ports; ++p) {
    Json port = emit_port(config.ports[p]);
    if (config.ports[p].host) port["host"] = config.hosts[*config.ports[p].host].name;
    json["ports"].push_back(std::move(port));
  }
  return json;
}

void emit_endpoints(Json& json, const RunConfig& config) {
  if (!config.triggers.empty()) {
    json["triggers"] = Json::array();
    for (const TriggerConfig& trigger : config.triggers) json["triggers"].push_back(emit_trigger(trigger));
  }
  json["boards"] = Json::array();
  for (const BoardConfig& board : config.boards) json["boards"].push_back(emit_board(config, board));
  json["receivers"] = Json::array();
  for (const ReceiverConfig& r : config.receivers) json["receivers"].push_back(emit_receiver(config, r));
  json["changes"] = Json::array();
  for (const ChangeConfig& change : config.changes) json["changes"].push_back(emit_change(config, change));
}

std::string yaml_of(const Json& json) {
  YAML::Emitter out;
  write(out, json);
  return std::string(out.c_str()) + '\n';
}

}  // namespace

Json to_json(const RunConfig& config) {
  Json json = emit_machine(config, config.ports.size());
  emit_endpoints(json, config);
  return json;
}

namespace {

Json switch_test_to_json(const LabConfig& config) {
  Json json;
  json["switch_test"] = emit_switch_test(*config.run.switch_test);
  json["eal"] = emit_eal(config.run.eal);
  json["workers"] = emit_workers(config.run.workers);
  json["ports"] = Json::array();
  for (std::size_t p = 0; p < config.run.ports.size() - 2 * config.rings.size(); ++p)
    json["ports"].push_back(emit_port(config.run.ports[p]));
  if (!config.network.stations.empty()) json["network"] = emit_network(config);
  return json;
}

}  // namespace

Json to_json(const LabConfig& config) {
  if (config.run.switch_test) return switch_test_to_json(config);
  // Omit the ring ports to the network's worker: the loader recreates them.
  Json json = emit_machine(config.run, config.run.ports.size() - 2 * config.rings.size());
  json["lab"] = emit_lab(config);
  json["network"] = emit_network(config);
  emit_endpoints(json, config.run);
  return json;
}

std::string to_yaml(const RunConfig& config) { return yaml_of(to_json(config)); }
std::string to_yaml(const LabConfig& config) { return yaml_of(to_json(config)); }

}  // namespace softfeb::config
