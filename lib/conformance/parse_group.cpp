// SPDX-License-Identifier: BSD-3-Clause
// Reads the YAML files of the catalogue. doc/conformance.md describes the format.
#include "conformance/catalogue.hpp"
#include "conformance/parse_traffic.hpp"
#include "conformance/yaml_values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>

#include <yaml-cpp/yaml.h>

namespace softfeb::conformance {

namespace {

std::string text(const YAML::Node& map, const char* key) {
  if (!map[key] || !map[key].IsScalar()) refuse_node(map, std::string("'") + key + "' is missing");
  return map[key].as<std::string>();
}

constexpr std::uint64_t kMostRepetitions = 1'000'000;

std::uint64_t number_or(const YAML::Node& map, const char* key, std::uint64_t otherwise, std::uint64_t least,
                        std::uint64_t most) {
  return map[key] ? number_within(map[key], least, most) : otherwise;
}

/// Reads a number with at most 32 bits.
template <typename Number>
void read_number(const YAML::Node& map, const char* key, Number& out, std::uint64_t least = 0,
                 std::uint64_t most = std::numeric_limits<Number>::max()) {
  out = static_cast<Number>(number_or(map, key, out, least, most));
}

std::vector<PacketSpec> read_packets(const YAML::Node& node) {
  return parsed_at(node, [](const std::string& text) { return parse_packets(text); });
}

Expectation read_expectation(const YAML::Node& node) {
  return parsed_at(node, [](const std::string& text) { return Expectation::parse(text); });
}

void read_access(const YAML::Node& list, QpSpec& out) {
  out.remote_write = out.remote_read = out.remote_atomic = false;
  for (const auto& item : list) {
    const auto name = item.as<std::string>();
    if (name == "write") {
      out.remote_write = true;
    } else if (name == "read") {
      out.remote_read = true;
    } else if (name == "atomic") {
      out.remote_atomic = true;
    } else {
      refuse_node(item, "'" + name + "' is not an access right; fix: use write, read or atomic");
    }
  }
}

QpSpec read_qp(const YAML::Node& node, roce::Transport transport) {
  QpSpec out;
  out.transport = transport;
  if (!node) return out;
  check_keys(node, {"transport", "pmtu", "psn", "receives", "receive_size", "rnr_timer", "max_dest_rd_atomic",
                    "access", "state", "solicited_only"});
  if (const YAML::Node name = node["transport"]) {
    const auto word = name.as<std::string>();
    if (word != "rc" && word != "uc")
      refuse_node(name, "'" + word + "' is not a transport; fix: use rc or uc");
    out.transport = word == "uc" ? roce::Transport::kUc : roce::Transport::kRc;
  }
  read_number(node, "pmtu", out.pmtu, 256, 4096);
  if (!std::has_single_bit(out.pmtu))
    refuse_node(node["pmtu"], "a path MTU is 256, 512, 1024, 2048 or 4096 (IBA 9.7.1)");
  if (node["psn"]) out.psn = static_cast<std::uint32_t>(number_within(node["psn"], 0, roce::kPsnMask));
  read_number(node, "receives", out.receives);
  read_number(node, "receive_size", out.receive_size);
  read_number(node, "rnr_timer", out.rnr_timer, 0, 31);
  read_number(node, "max_dest_rd_atomic", out.max_dest_rd_atomic);
  if (node["access"]) read_access(node["access"], out);
  if (node["state"]) out.state = state_of(node["state"]);
  out.solicited_only = flag(node, "solicited_only");
  return out;
}

/// A key that determines the kind of a step.
struct StepKey {
  const char* name;
  Step::Kind kind;
};
constexpr std::array<StepKey, 10> kStepKeys = {{{"send", Step::Kind::kSend},
                                                {"drop", Step::Kind::kDrop},
                                                {"every_bit", Step::Kind::kEveryBit},
                                                {"mutate", Step::Kind::kMutate},
                                                {"wait", Step::Kind::kWait},
                                                {"receive", Step::Kind::kReceive},
                                                {"modify", Step::Kind::kModify},
                                                {"destroy", Step::Kind::kDestroy},
                                                {"fill", Step::Kind::kFill},
                                                {"check", Step::Kind::kCheck}}};

void read_step_value(const YAML::Node& value, Step& out) {
  switch (out.kind) {
    case Step::Kind::kSend:
    case Step::Kind::kDrop:
    case Step::Kind::kEveryBit:
      out.packets = read_packets(value);
      break;
    case Step::Kind::kMutate:
    case Step::Kind::kReceive:
      out.times = number_within(value, 1, kMostRepetitions);
      break;
    case Step::Kind::kWait:
      out.time = time_of(value);
      break;
    case Step::Kind::kModify:
      out.state = state_of(value);
      break;
    case Step::Kind::kDestroy:
    case Step::Kind::kFill:
    case Step::Kind::kCheck:
      break;
  }
}

FieldCheck read_field(const std::string& name, const YAML::Node& value) {
  FieldCheck out{.name = name, .kind = FieldCheck::Kind::kNumbers, .numbers = {}};
  if (!is_answer_field(name)) refuse_node(value, "'" + name + "' is not a field of an answer");
  if (value.IsSequence()) {
    for (const auto& item : value) out.numbers.push_back(number(item));
    return out;
  }
  const auto word = value.as<std::string>();
  if (word == "own") {
    out.kind = FieldCheck::Kind::kOwn;
  } else if (word == "same") {
    out.kind = FieldCheck::Kind::kSame;
  } else if (word == "valid") {
    out.kind = FieldCheck::Kind::kValid;
  } else if (word == "report") {
    out.kind = FieldCheck::Kind::kReport;
  } else {
    out.numbers.push_back(number(value));
  }
  return out;
}

std::vector<FieldCheck> read_fields(const YAML::Node& map) {
  std::vector<FieldCheck> out;
  for (const auto& entry : map) out.push_back(read_field(entry.first.as<std::string>(), entry.second));
  return out;
}

std::map<std::string, Range> read_counters(const YAML::Node& map) {
  std::map<std::string, Range> out;
  for (const auto& entry : map) out[entry.first.as<std::string>()] = range_of(entry.second);
  return out;
}

Step read_step(const YAML::Node& node, std::size_t qps) {
  check_keys(node,
             {"send", "drop",  "every_bit", "mutate", "wait",   "receive",       "modify",      "destroy",
              "fill", "check", "expect",    "settle", "times",  "one_at_a_time", "interval",    "within",
              "qp",   "then",  "fields",    "cnp",    "figure", "latency",       "bounds_first"});
  Step out;
  std::size_t kinds = 0;
  for (const StepKey& key : kStepKeys) {
    if (!node[key.name]) continue;
    out.kind = key.kind;
    read_step_value(node[key.name], out);
    ++kinds;
  }
  if (kinds != 1)
    refuse_node(node, "a step has one of the keys send, drop, every_bit, wait, receive, modify …");
  if (node["times"]) out.times = number_within(node["times"], 1, kMostRepetitions);
  if (node["expect"]) out.expect = read_expectation(node["expect"]);
  if (node["bounds_first"]) out.bounds_first = read_expectation(node["bounds_first"]);
  if (node["then"]) out.then = read_packets(node["then"]).front();
  if (node["fields"]) out.fields = read_fields(node["fields"]);
  if (node["cnp"]) out.cnp_fields = read_fields(node["cnp"]);
  if (node["figure"]) out.figure = node["figure"].as<std::string>();
  if (node["latency"]) out.latency = node["latency"].as<std::string>();
  out.settle = flag(node, "settle");
  out.one_at_a_time = flag(node, "one_at_a_time");
  if (node["interval"]) out.interval = time_of(node["interval"]);
  if (node["within"]) out.within = time_of(node["within"]);
  if (out.expect && out.kind != Step::Kind::kSend && out.kind != Step::Kind::kDrop)
    refuse_node(node["expect"], "only send and drop expect answers; fix: move it to the step before");
  if (out.bounds_first && !out.expect) refuse_node(node["bounds_first"], "it needs expect in the same step");
  if (out.then && out.kind != Step::Kind::kDrop)
    refuse_node(node["then"], "only drop has a packet that follows");
  read_number(node, "qp", out.qp);
  if (out.qp >= qps) refuse_node(node["qp"], "the part has no such queue pair; fix: list it in qps");
  return out;
}

/// Adds a step. If `node` has the keys `for` and `steps`, adds these steps once for each value.
void read_steps(const YAML::Node& node, std::size_t qps, std::vector<Step>& out) {
  if (!node.IsMap() || !node["for"]) {
    out.push_back(read_step(node, qps));
    return;
  }
  check_keys(node, {"for", "steps"});
  repeat(node, [&](const YAML::Node& copy) {
    for (const auto& step : copy["steps"]) out.push_back(read_step(step, qps));
  });
}

Ending ending_of(const YAML::Node& node) {
  if (!node) return Ending::kAlive;
  const auto word = node.as<std::string>();
  if (word == "alive") return Ending::kAlive;
  if (word == "error") return Ending::kError;
  if (word == "any") return Ending::kAny;
  refuse_node(node, "'" + word + "' is not an ending; fix: use alive, error or any");
}

Part read_part(const YAML::Node& node, roce::Transport transport) {
  check_keys(node, {"qp", "qps", "steps", "ending", "written", "tolerated", "completions", "solicited_events",
                    "counters"});
  Part out;
  out.qps.clear();
  if (node["qps"]) {
    for (const auto& qp : node["qps"]) out.qps.push_back(read_qp(qp, transport));
  } else {
    out.qps.push_back(read_qp(node["qp"], transport));
  }
  if (!node["steps"] || node["steps"].size() == 0) refuse_node(node, "'steps' is missing");
  for (const auto& step : node["steps"]) read_steps(step, out.qps.size(), out.steps);
  out.ending = ending_of(node["ending"]);
  out.written = read_written(node);
  if (node["completions"]) out.completions = read_completions(node["completions"]);
  if (node["counters"]) out.counters = read_counters(node["counters"]);
  if (node["solicited_events"])
    // Targets report only whether there was an event, not how many.
    out.solicited_event = number_within(node["solicited_events"], 0, 1) != 0;
  return out;
}

/// Adds a part. If `node` has the key `for`, adds a copy of the part for each value.
void read_parts(const YAML::Node& node, roce::Transport transport, std::vector<Part>& out) {
  repeat(node, [&](const YAML::Node& one) { out.push_back(read_part(one, transport)); });
}

Needs read_needs(const YAML::Node& node) {
  Needs out = 0;
  if (!node) return out;
  const auto words = node.as<std::string>();
  for (const std::string_view word : split_words(words, ' ')) {
    const auto need = need_of(word);
    if (!need)
      refuse_node(node, "'" + std::string(word) + "' is not a need of a case; fix: use " +
                            text_of(static_cast<Needs>(~0U)));
    out |= *need;
  }
  return out;
}

Case read_case(const YAML::Node& node) {
  check_keys(node, {"id", "title", "section", "service", "opcodes", "severity", "level", "needs", "stimulus",
                    "expected", "run", "traffic", "not_available"});
  Case out;
  out.id = text(node, "id");
  out.title = text(node, "title");
  out.section = text(node, "section");
  out.service = text(node, "service");
  out.opcodes = text(node, "opcodes");
  out.stimulus = text(node, "stimulus");
  out.expected = text(node, "expected");
  const auto severity = severity_of(text(node, "severity"));
  const auto level = level_of(text(node, "level"));
  if (!severity) {
    refuse_node(node["severity"], "'" + text(node, "severity") +
                                      "' is not a severity; fix: use critical, high, medium, low or info");
  }
  if (!level) {
    refuse_node(node["level"], "'" + text(node, "level") +
                                   "' is not a level; fix: use shall, should, may, measure or robustness");
  }
  if (out.service != "RC" && out.service != "UC")
    refuse_node(node["service"], "'" + out.service + "' is not a service; fix: use RC or UC");
  out.severity = *severity;
  out.level = *level;
  out.needs = read_needs(node["needs"]);
  const roce::Transport transport = out.service == "UC" ? roce::Transport::kUc : roce::Transport::kRc;
  if (const YAML::Node run = node["run"]) {
    if (run.IsSequence()) {
      for (const auto& part : run) read_parts(part, transport, out.parts);
    } else {
      read_parts(run, transport, out.parts);
    }
  }
  if (node["traffic"]) out.traffic = read_traffic(node["traffic"], transport);
  if (node["not_available"]) out.not_available = node["not_available"].as<std::string>();
  if (out.parts.empty() && out.traffic.empty() && out.not_available.empty())
    refuse_node(node, "the case does nothing; fix: give it run or traffic");
  return out;
}

}  // namespace

CaseGroup parse_group(std::string_view text_of_file, std::string_view file) {
  std::string id;
  try {
    const YAML::Node root = YAML::Load(std::string(text_of_file));
    check_keys(root, {"group", "title", "cases"});
    CaseGroup out;
    out.name = text(root, "group");
    out.title = text(root, "title");
    if (!root["cases"] || !root["cases"].IsSequence())
      refuse_node(root, "'cases' is missing; fix: list the cases");
    for (const auto& node : root["cases"]) {
      id = node["id"] ? " " + node["id"].as<std::string>() : "";
      out.cases.push_back(read_case(node));
      if (out.cases.back().group() != out.name)
        refuse_node(node, "the id does not begin with " + out.name + "-");
    }
    return out;
  } catch (const YAML::Exception& error) {
    throw NotationError(std::string(file) + id + ": line " + std::to_string(error.mark.line + 1) + ": " +
                        error.msg);
  } catch (const NotationError& error) {
    throw NotationError(std::string(file) + id + ": " + error.what());
  }
}

}  // namespace softfeb::conformance
