// SPDX-License-Identifier: BSD-3-Clause
#include "config/choices.hpp"
#include "config/draft.hpp"
#include "fabric/average.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <span>

namespace softfeb::config {
namespace {

/// Parses alpha of dynamic thresholds, in units of 1/256.
Parsed<std::uint64_t> parse_alpha(const std::string& text) {
  if (text == "off") return std::uint64_t{0};
  double alpha = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, alpha, std::chars_format::fixed);
  const double parts = alpha * 256;
  if (error != std::errc{} || stop != end || !(parts >= 1) || parts > 65'536 || parts != std::floor(parts)) {
    return {'"' + text + "\" is not an alpha",
            "write off, or a multiple of 1/256 up to 256 such as 0.5, 1 or 8"};
  }
  return static_cast<std::uint64_t>(parts);
}

Parsed<std::uint64_t> parse_weight(const std::string& text) {
  if (text == "strict") return std::uint64_t{0};
  auto weight = parse_integer(text, 1, 1000);
  if (!weight.value) weight.fix = "write strict, or a whole number from 1 to 1000";
  return weight;
}

/// Parses a queue threshold, which lib/fabric stores in 32 bits.
Parsed<std::uint64_t> parse_threshold(const std::string& text) {
  auto size = parse_size(text);
  if (size.value && *size.value > UINT32_MAX)
    return {text + " is too long for a queue of a switch", "write at most 4000MiB"};
  return size;
}

/// Reads kmin, kmax and pmax of a section. `ecn` is unchanged if none of them is given.
void read_marking(Section& s, fabric::EcnMarking& ecn) {
  const bool min = s.read("kmin", ecn.kmin, parse_threshold);
  const bool max = s.read("kmax", ecn.kmax, parse_threshold);
  Probability pmax;
  const bool p = s.read("pmax", pmax, parse_probability);
  if (p) ecn.pmax = pmax.parts();
  if (!min && !max && !p) return;
  // If the settings of the whole switch already enable marking, the section of a queue may override single
  // keys. Otherwise kmin and kmax are required.
  if (!ecn.enabled && !min) s.missing("kmin", "100KiB");
  if (!ecn.enabled && !max) s.missing("kmax", "400KiB");
  ecn.enabled = true;
  if (ecn.kmin > ecn.kmax) {
    s.reading().problem(s.find(min ? "kmin" : "kmax")->where, "`kmin` is above `kmax`",
                        "marking begins at `kmin` and is certain at `kmax`: write the smaller one first");
  }
}

/// Reads the keys that determine how all queues of a switch mark.
void read_marking_mode(Section& s, fabric::EcnMarking& ecn) {
  s.read("at", ecn.at_dequeue, choices::kMarkingAt);
  s.read("weight", ecn.weight, integer(0, fabric::AverageLength::kMaxWeight));
  s.read("not_ect", ecn.drop_not_ect, choices::kNotEct);
}

/// Number of queues to which frames can be assigned.
std::size_t queues_of(const fabric::SwitchConfig& config) {
  return config.priorities != 0 ? config.priorities : fabric::kQueues;
}

void read_queue(Section s, fabric::SwitchConfig& config, std::set<std::uint32_t>& met) {
  std::uint32_t number = 0;
  if (!s.require("queue", number, integer(0, queues_of(config) - 1), "3")) number = 0;
  if (s.given("queue") && !met.insert(number).second) {
    s.reading().problem(s.find("queue")->where, "queue " + std::to_string(number) + " is given twice",
                        "write all its keys in one element");
  }
  fabric::QueueConfig& queue = config.queues[number];
  if (bool on = true; s.read("ecn", on, parse_bool) && !on)
    queue.ecn = {.at_dequeue = queue.ecn.at_dequeue,
                 .weight = queue.ecn.weight,
                 .drop_not_ect = queue.ecn.drop_not_ect};
  read_marking(s, queue.ecn);
  s.read("lossless", queue.lossless, parse_bool);
  s.read("weight", queue.weight, parse_weight);
  s.read("minimum", queue.minimum, parse_threshold);
  read_queue_rates(s, queue.rates);
  s.close();
}

/// Reads a map from DSCP or PCP to queues. `count` is the number of queues.
void read_map(Section& s, const char* key, std::span<std::uint8_t> queues, std::size_t count) {
  const Node* node = s.find(key);
  if (node == nullptr || node->kind == Node::Kind::kNull) return;
  if (node->kind != Node::Kind::kMap) {
    return s.reading().problem(node->where, "is not a map", "write for example {26: 3, 48: 6}");
  }
  for (const Node& child : node->children) {
    const auto from = parse_integer(child.name, 0, queues.size() - 1);
    if (!from.value) {
      s.reading().problem(child.where, from.message, from.fix);
    } else {
      s.scalar(child, queues[static_cast<std::size_t>(*from.value)], integer(0, count - 1));
    }
  }
}

void read_thresholds(Section s, fabric::PauseThresholds& pause) {
  s.read("xoff_alpha", pause.xoff_alpha, parse_alpha);
  if (pause.xoff_alpha == 0) {
    s.require("xoff", pause.xoff, parse_size, "200KiB");
    pause.xon = pause.xoff / 2;
  } else {
    if (s.given("xoff"))
      s.reading().problem(s.find("xoff")->where, "`xoff_alpha` already gives the pause threshold",
                          "remove one of them");
    pause.xon = fabric::PauseThresholds::kNoXon;
  }
  s.read("xon", pause.xon, parse_size);
  if (s.read("xon_offset", pause.xon_offset, parse_size) && pause.xoff_alpha == 0)
    s.reading().problem(s.find("xon_offset")->where, "has an effect only with `xoff_alpha`",
                        "remove it, or write `xon`");
  s.read("headroom", pause.headroom, parse_size);
  if (s.read("headroom_pool", pause.headroom_pool, parse_size)) {
    if (pause.headroom == 0)
      s.reading().problem(s.find("headroom_pool")->where, "has an effect only with `headroom`",
                          "write the `headroom` of each port, too");
    else if (pause.headroom_pool == 0)
      s.reading().problem(s.find("headroom_pool")->where, "leaves no headroom",
                          "write a size above 0, or remove `headroom`");
  }
  s.read("quanta", pause.quanta, integer(64, 0xffff));
  s.close();
}

void read_memory(Section& s, fabric::MemoryConfig& memory) {
  s.read("cell", memory.cell, integer(1, fabric::MemoryConfig::kMaxCell));
  s.read("cell_overhead", memory.cell_overhead, integer(0, fabric::MemoryConfig::kMaxOverhead));
  s.read("mac_leak", memory.mac_leak, parse_threshold);
}

void read_times(Section& s, fabric::SwitchTimes& times) {
  s.read("pipeline", times.pipeline, time_in(0, fabric::SwitchTimes::kMax, "`pipeline`"));
  s.read("pause_response", times.pause_response, time_in(0, fabric::SwitchTimes::kMax, "`pause_response`"));
  s.read("pause_generation", times.pause_generation,
         time_in(0, fabric::SwitchTimes::kMax, "`pause_generation`"));
  s.read("cut_through", times.cut_through, parse_bool);
}

void read_watchdog(Section s, fabric::WatchdogConfig& watchdog) {
  // Same defaults as SONiC and Junos.
  watchdog.detection = watchdog.restoration = 200 * kMillisecond;
  s.read("detection", watchdog.detection, time_in(kMicrosecond, 3600 * kSecond, "`detection`"));
  s.read("restoration", watchdog.restoration, time_in(kMicrosecond, 3600 * kSecond, "`restoration`"));
  s.read("action", watchdog.action, choices::kWatchdogAction);
  s.close();
}

void read_forge(Section s, fabric::ThresholdForge& forge) {
  s.require("threshold", forge.threshold, parse_bandwidth, "9Gb/s");
  s.read("window", forge.window, parse_time);
  s.read("interval", forge.interval, parse_time);
  for (const auto& [key, time] : {std::pair{"window", forge.window}, std::pair{"interval", forge.interval}}) {
    if (time != 0) continue;
    s.reading().problem(s.find(key)->where, "is not a positive time", "write for example 50us");
  }
  s.close();
}

}  // namespace

namespace {

/// Reads `multipath` of a switch, which may override single keys of the network's `multipath`.
void read_own_multipath(Section& s, const std::optional<fabric::MultipathConfig>& network,
                        fabric::SwitchConfig& config) {
  const Node* const node = s.find("multipath");
  if (node == nullptr) return;
  if (!network) {
    s.reading().problem(node->where, "the network has no `multipath`",
                        "add `network.multipath: {mode: hash}`, or remove this section");
  }
  config.multipath = network.value_or(fabric::MultipathConfig{});
  read_multipath(Section(s.reading(), *node, s.pattern("multipath")), *config.multipath);
}

}  // namespace

SwitchDraft read_switch(Section s, const std::optional<fabric::MultipathConfig>& multipath) {
  SwitchDraft draft;
  draft.where = s.where();
  fabric::SwitchConfig& config = draft.config;
  s.require("name", config.name, parse_text, "tor");
  s.read("count", draft.count, integer(1, 1024));
  s.require("buffer", config.buffer, parse_size, "4MiB");
  s.read("port_limit", config.port_limit, parse_size);
  s.read("dynamic_alpha", config.dynamic_alpha, parse_alpha);
  if (const Node* node = s.find("ecn")) {
    Section ecn(s.reading(), *node, s.pattern("ecn"));
    fabric::EcnMarking all;
    read_marking(ecn, all);
    read_marking_mode(ecn, all);
    ecn.close();
    for (fabric::QueueConfig& queue : config.queues) queue.ecn = all;
  }
  if (std::uint8_t levels = 0; s.read("priorities", levels, integer(1, fabric::kQueues)))
    fabric::use_priorities(config, levels);
  std::set<std::uint32_t> met;
  for (const Node& node : s.list("queues"))
    read_queue(Section(s.reading(), node, s.pattern("queues[]")), config, met);
  if (const Node* node = s.find("ecn");
      node != nullptr &&
      std::none_of(config.queues.begin(), config.queues.end(), [](const auto& q) { return q.ecn.enabled; }) &&
      !node->children.empty())
    s.reading().problem(node->where, "no queue has marking thresholds",
                        "write for example {kmin: 100KiB, kmax: 400KiB}");
  s.read("trust", config.trust_pcp, choices::kTrust);
  read_map(s, "dscp_to_queue", config.dscp_to_queue, queues_of(config));
  read_map(s, "pcp_to_queue", config.pcp_to_queue, queues_of(config));
  if (const Node* node = s.find("pause"))
    read_thresholds(Section(s.reading(), *node, s.pattern("pause")), config.pause);
  read_memory(s, config.memory);
  read_times(s, config.times);
  if (const Node* node = s.find("watchdog"))
    read_watchdog(Section(s.reading(), *node, s.pattern("watchdog")), config.watchdog);
  if (const Node* node = s.find("forge"))
    read_forge(Section(s.reading(), *node, s.pattern("forge")), config.forge);
  s.read("int", config.int_on, parse_bool);
  s.read("int_id", config.int_id, integer(1, UINT16_MAX));
  read_scheduler(s, config.scheduler);
  read_port_rules(s, config);
  read_own_multipath(s, multipath, config);
  s.close();
  return draft;
}

namespace {

void read_ends(Section& s, LinkDraft& draft) {
  const Node* node = s.find("ends");
  if (node == nullptr) return s.missing("ends", "[feb0, tor]");
  if (node->kind != Node::Kind::kList || node->children.size() != 2) {
    return s.reading().problem(node->where, "a link has two ends", "write them as [feb0, tor]");
  }
  for (std::size_t i = 0; i < 2; ++i) {
    draft.ends_where[i] = node->children[i].where;
    s.scalar(node->children[i], draft.ends[i], parse_text);
  }
}

/// Parses a link delay. The maximum of one second exceeds the delay of any cable.
Parsed<Time> parse_delay(const std::string& text) {
  auto delay = parse_time(text);
  if (delay.value && *delay.value > kSecond)
    return {text + " is too long for the delay of a link", "write at most 1s"};
  return delay;
}

LinkDraft read_link(Section s) {
  LinkDraft draft;
  draft.where = s.where();
  fabric::LinkConfig& link = draft.config;
  read_ends(s, draft);
  s.require("rate", link.rate, network_rate("the rate of a link"), "10Gb/s");
  s.read("delay", link.delay, parse_delay);
  s.read("flow_control", link.flow_control, choices::kPauseMode);
  read_vlans(s, link);
  draft.rules_where = {s.where(), s.where()};
  if (const Node* node = s.find("faults")) {
    read_link_faults(Section(s.reading(), *node, s.pattern("faults")), link.a_to_b, draft.rules[0]);
    draft.rules_where = {node->where, node->where};
  }
  link.b_to_a = link.a_to_b;
  draft.rules[1] = draft.rules[0];
  if (const Node* node = s.find("faults_back")) {
    link.b_to_a = {};
    draft.rules[1].clear();
    read_link_faults(Section(s.reading(), *node, s.pattern("faults_back")), link.b_to_a, draft.rules[1]);
    draft.rules_where[1] = node->where;
    draft.faults_back = true;
  }
  s.close();
  return draft;
}

}  // namespace

void read_network(Section s, LabDraft& draft) {
  draft.network_where = s.where();
  s.read("worker", draft.worker, integer(0, 127));
  s.read("mtu", draft.mtu, integer(340, 16'128));
  s.read("neighbours", draft.static_neighbours, choices::kNeighbours);
  if (const Node* node = s.find("multipath"))
    read_multipath(Section(s.reading(), *node, s.pattern("multipath")), draft.multipath.emplace());
  for (const Node& node : s.list("switches")) {
    draft.switches.push_back(
        read_switch(Section(s.reading(), node, s.pattern("switches[]")), draft.multipath));
  }
  for (const Node& node : s.list("links"))
    draft.links.push_back(read_link(Section(s.reading(), node, s.pattern("links[]"))));
  read_parts(s, draft);
  s.close();
  if (draft.links.empty()) s.missing("links", "[{ends: [feb0, daq], rate: 10Gb/s}]");
}

}  // namespace softfeb::config
