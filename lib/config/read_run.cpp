// SPDX-License-Identifier: BSD-3-Clause
#include "config/choices.hpp"
#include "config/draft.hpp"
#include "config/web_config.hpp"

#include <algorithm>

namespace softfeb::config {

namespace {

Parsed<std::uint64_t> parse_cc_port(const std::string& text) {
  const auto port = parse_integer(text, 1024, UINT16_MAX);
  if (port.value == roce::kRoceUdpPort)
    return {text + " is the port of RoCEv2 itself",
            "write " + std::to_string(roce::kCongestionUdpPort) + ", or another free UDP port"};
  return port;
}

}  // namespace

RunSettings read_run(Section s) {
  RunSettings run;
  run.where = s.where();
  s.read("duration", run.duration, parse_time);
  s.read("messages", run.messages, integer(1, UINT64_MAX - 1));
  s.read("warmup", run.warmup, parse_time);
  s.read("start_at", run.start_at_unix_ns, parse_wall_clock);
  s.read("start_lead", run.start_lead, time_in(200 * kMillisecond, 3600 * kSecond, "a lead"));
  s.read("clock_limit", run.clock_limit, time_in(kMicrosecond, kSecond, "a limit"));
  s.read("seed", run.seed, integer(0, UINT64_MAX));
  s.read("number", run.number, integer(0, UINT32_MAX));
  s.read("quiet", run.quiet, parse_bool);
  s.read("drain_timeout", run.drain_timeout, parse_time);
  s.read("connect_timeout", run.connect_timeout, parse_time);
  s.read("series_interval", run.series_interval, [](const std::string& text) -> Parsed<Time> {
    auto time = parse_time(text);
    if (time.value && *time.value < 10 * kMicrosecond) return {text + " is too short", "write at least 10us"};
    return time;
  });
  s.read("series_qps", run.series_qps, integer(0, 1'000'000));
  s.read("cc_port", run.cc_port, parse_cc_port);
  s.read("result_qps", run.result_qps, [](const std::string& text) -> Parsed<std::optional<std::uint32_t>> {
    if (text == "all") return std::optional<std::uint32_t>();
    const auto number = parse_integer(text, 0, 1'000'000);
    if (number.value) return std::optional(static_cast<std::uint32_t>(*number.value));
    return {text + " is not a number of queue pairs", "write all, or a number up to 1000000"};
  });
  WebConfig web;  // the value is only validated here; load_web() returns it
  s.read("web", web, parse_web);
  s.close();
  return run;
}

LatencyConfig read_latency(Section s) {
  LatencyConfig latency;
  latency.where = s.where();
  s.read("sample", latency.sample, integer(0, 1'000'000'000));
  s.close();
  return latency;
}

EalConfig read_eal(Section s) {
  EalConfig eal;
  eal.where = s.where();
  s.read("hugepages", eal.hugepages, choices::kHugepages);
  s.read("memory", eal.memory, [](const std::string& text) {
    auto size = parse_size(text);
    if (size.value && *size.value < (1U << 20))
      return Parsed<std::uint64_t>{text + " is too little memory", "write at least 1MiB"};
    return size;
  });
  s.read("prefix", eal.prefix, parse_text);
  for (const Node& arg : s.list("args")) s.scalar(arg, eal.args.emplace_back(), parse_text);
  s.close();
  return eal;
}

WorkersConfig read_workers(Section s) {
  WorkersConfig workers;
  workers.where = s.where();
  constexpr std::uint64_t kMaxCpu = 1023;
  for (const Node& cpu : s.list("cpus")) s.scalar(cpu, workers.cpus.emplace_back(), integer(0, kMaxCpu));
  if (s.read("count", workers.count, integer(1, 128)) && !workers.cpus.empty() &&
      workers.count != workers.cpus.size()) {
    s.reading().problem(s.find("count")->where,
                        "`cpus` names " + std::to_string(workers.cpus.size()) + " CPUs",
                        "remove `count`, or name one CPU for each worker");
  }
  if (!workers.cpus.empty()) workers.count = workers.cpus.size();
  s.read("main_cpu", workers.main_cpu, integer(0, kMaxCpu));
  s.read("idle", workers.idle, choices::kIdle);
  s.read("burst", workers.burst, integer(1, 512));
  s.close();
  return workers;
}

namespace {

/// Endpoints of `softfeb run` need a port. Endpoints of `softfeb lab` may have a link instead.
template <class Drafts>
void require_ports(Reading& reading, const Drafts& drafts) {
  for (const auto& draft : drafts) {
    if (draft.endpoint.port_given) continue;
    reading.problem(draft.endpoint.config.where, "`port` is missing", "add `port: p0`");
  }
}

/// Refuses a configuration of `softfeb lab`. Reports only this problem, not the keys that are missing for a
/// run.
bool refuse_lab(Section& s) {
  for (const char* key : {"lab", "network"}) {
    if (!s.given(key)) continue;
    s.reading().problem(s.find(key)->where, "is a section for `softfeb lab`",
                        "run it with `softfeb lab -c FILE`");
  }
  return s.given("lab") || s.given("network");
}

void read_lab_sections(Section& s, const Section& network, const Section& lab, Draft& draft) {
  draft.lab.emplace();
  if (!s.given("network") && !s.given("lab"))
    s.reading().problem(s.where(), "has neither `network` nor `lab`, so it is not a topology",
                        "run it with `softfeb run -c FILE`, or add `network: {switches: […], links: […]}`");
  else if (!s.given("network"))
    s.missing("network", "{switches: […], links: […]}");
  else
    read_network(network, *draft.lab);
  read_lab(lab, *draft.lab);
}

/// Checks that the rig ports are elements of `ports`.
void check_rig_ports(Reading& reading, const SwitchTestConfig& test, const std::vector<PortConfig>& ports) {
  for (std::size_t i = 0; i < test.ports.size(); ++i) {
    const auto named = [&](const PortConfig& port) { return port.name == test.ports[i]; };
    if (std::any_of(ports.begin(), ports.end(), named)) continue;
    reading.problem(test.port_wheres[i], "no port \"" + test.ports[i] + '"',
                    "write the name of an element of `ports`, or `rig: virtual`");
  }
}

/// Reads the sections of `softfeb switch-test` and refuses those of the other commands.
void read_switch_test_sections(Section& s, const Section& network, Draft& draft) {
  for (const char* key :
       {"run", "latency", "triggers", "boards", "receivers", "changes", "lab", "conformance"})
    if (s.given(key))
      s.reading().problem(s.find(key)->where, "`softfeb switch-test` has no such section",
                          "remove it, or use another command; `switch_test` has the keys of this one");
  const Node* const section = s.find("switch_test");
  if (section == nullptr) return s.missing("switch_test", "{rig: virtual, map: {A: p0, D: p1}}");
  SwitchTestConfig& test =
      draft.config.switch_test.emplace(read_switch_test(Section(s.reading(), *section, "switch_test")));
  draft.config.run.seed = test.settings.seed;
  draft.lab.emplace();
  const bool simulated = test.rig != switchtest::RigKind::kPorts;
  if (simulated && !s.given("network")) s.missing("network", "{switches: […], links: […]}");
  if (!simulated && s.given("network"))
    s.reading().problem(s.find("network")->where, "real ports lead to a real network",
                        "remove it, or write `rig: virtual` or `rig: rings`");
  if (!simulated) check_rig_ports(s.reading(), test, draft.config.ports);
  if (simulated && s.given("network")) read_network(network, *draft.lab);
}

}  // namespace

Draft read_document(Reading& reading, const Node& document, Form form) {
  Draft draft;
  Section s(reading, document, "");
  // Treat a missing section as an empty one at the beginning of the document.
  Node none;
  none.where = s.where();
  const auto section = [&](const char* key) {
    const Node* node = s.find(key);
    return Section(reading, node != nullptr ? *node : none, key);
  };
  draft.config.run = read_run(section("run"));
  draft.config.latency = read_latency(section("latency"));
  draft.config.eal = read_eal(section("eal"));
  draft.config.workers = read_workers(section("workers"));
  if (form == Form::kRun)
    read_hosts(s, draft.config);
  else
    refuse_hosts(s);
  for (const Node& port : s.list("ports"))
    draft.config.ports.push_back(read_port(Section(reading, port, "ports[]")));
  for (const Node& trigger : s.list("triggers"))
    draft.config.triggers.push_back(read_trigger(Section(reading, trigger, "triggers[]")));
  for (const Node& board : s.list("boards"))
    draft.boards.push_back(read_board(Section(reading, board, "boards[]")));
  for (const Node& receiver : s.list("receivers")) {
    draft.receivers.push_back(read_receiver(Section(reading, receiver, "receivers[]")));
  }
  for (const Node& change : s.list("changes"))
    draft.changes.push_back(read_change(Section(reading, change, "changes[]")));
  if (const Node* node = s.find("conformance"); node != nullptr && form == Form::kRun)
    draft.config.conformance = read_conformance(Section(reading, *node, "conformance"));
  if (form == Form::kSwitchTest) {
    read_switch_test_sections(s, section("network"), draft);
    s.close();
    return draft;
  }
  if (form == Form::kLab) {
    read_lab_sections(s, section("network"), section("lab"), draft);
    // An experiment may be based on the file of a measured switch, which also contains the settings for
    // measuring this switch again.
    if (s.given("switch_test")) s.find("switch_test");
  } else if (refuse_lab(s)) {
    return draft;
  } else {
    require_ports(reading, draft.boards);
    require_ports(reading, draft.receivers);
  }
  s.close();
  if (draft.config.ports.empty() && form == Form::kRun) s.missing("ports", "[{name: p0, device: net_null}]");
  if (draft.boards.empty() && draft.receivers.empty()) {
    reading.problem(s.where(), "there is neither a board nor a receiver",
                    "add a list `boards` or `receivers`");
  }
  return draft;
}

}  // namespace softfeb::config
