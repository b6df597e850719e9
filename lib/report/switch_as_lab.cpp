// SPDX-License-Identifier: BSD-3-Clause
#include "report/switch_as_lab.hpp"

#include "config/emit.hpp"
#include "config/load.hpp"
#include "config/units.hpp"
#include "report/commented_yaml.hpp"
#include "report/measured_switch.hpp"
#include "report/switch_markup.hpp"

#include <set>
#include <stdexcept>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

using config::Json;

/// Writes a measured network as YAML.
class LabFile {
 public:
  LabFile(const SwitchRun& run, const MeasuredNetwork& measured) : run_(run), measured_(measured) {}
  std::string text();

 private:
  void write_head();
  void write_example();
  void write_switch(const Json& json);
  void write_section(const std::string& key, const Json& section);
  void write_queues(const Json& queues);
  void write_key(std::size_t indent, const std::string& key, const std::string& path, const Json& value);
  void write_rest();
  void write_links(const Json& links);
  void write_switch_test();
  const std::string* note(const std::string& path);
  bool noted(const std::string& prefix) const;

  const SwitchRun& run_;
  const MeasuredNetwork& measured_;
  CommentedYaml out_;
  std::set<std::string> written_;
};

void LabFile::write_head() {
  out_.comment(0, fmt::format("The switch \"{}\"{}, as softfeb switch-test measured it{}.", switch_name(run_),
                              run_.software.empty() ? "" : " with software \"" + run_.software + '"',
                              run_.date.empty() ? "" : " on " + run_.date));
  for (const auto& [name, text] : switch_facts(run_))
    if (name == "rig" || name == "profile" || name == "frames" || name == "seed")
      out_.comment(0, name + ": " + text);
  for (const char* line :
       {"",
        "A comment behind a key is the interval that was measured, and the test. The value is the roundest "
        "one",
        "in the interval: the multiple of the largest power of two from 1 KiB on, or the number with the "
        "fewest",
        "digits. Keys that are not known are comments; keys of what the switch does not do are left out.", "",
        "  softfeb switch-test -c THIS_FILE         measures this switch again, in virtual time",
        "  softfeb lab -c EXPERIMENT --virtual      sends from boards through it. EXPERIMENT is for example"})
    out_.comment(0, line);
  write_example();
}

/// Adds an example experiment that uses this network: the receiver is at port D, and boards are at all other
/// ports.
void LabFile::write_example() {
  const switchtest::SwitchReport& report = run_.report;
  const std::string& d = report.ports[report.settings.roles.d].name;
  out_.comment(0, "");
  out_.comment(0, "    base: THIS_FILE");
  out_.comment(0, "    set:");
  out_.comment(0, "      run.duration: 20ms");
  out_.comment(0, "      boards:");
  for (std::size_t i = 0; i < report.ports.size(); ++i) {
    if (i == report.settings.roles.d) continue;
    const bool pfc = measured_.network.links[i].flow_control == fabric::PauseMode::kPfc;
    out_.comment(0,
                 fmt::format("        - {{name: {}, ip: 10.0.0.{}/24, dscp: {}{}, qps: [{{to: {}, traffic: "
                             "{{message_size: 64KiB}}}}]}}",
                             yaml_flow(report.ports[i].name), i + 1, report.settings.dscp,
                             pfc ? ", pause: pfc" : "", yaml_flow(d)));
  }
  out_.comment(0, fmt::format("      receivers: [{{name: {}, ip: 10.0.0.{}/24, memory: 1MiB}}]", yaml_flow(d),
                              report.ports.size() + 1));
  out_.line(0, "");
}

const std::string* LabFile::note(const std::string& path) {
  const auto it = measured_.of.notes.find(path);
  if (it == measured_.of.notes.end()) return nullptr;
  written_.insert(path);
  return &it->second;
}

bool LabFile::noted(const std::string& prefix) const {
  const auto it = measured_.of.notes.lower_bound(prefix);
  return it != measured_.of.notes.end() && it->first.starts_with(prefix);
}

void LabFile::write_key(std::size_t indent, const std::string& key, const std::string& path,
                        const Json& value) {
  if (const std::string* const why = note(path)) out_.line(indent, key + ": " + yaml_flow(value), *why);
}

/// Writes a section of keys, such as `pause`.
void LabFile::write_section(const std::string& key, const Json& section) {
  if (!noted(key + '.')) return;
  out_.line(6, key + ':');
  for (const auto& [name, value] : section.items()) write_key(8, name, key + '.' + name, value);
}

void LabFile::write_queues(const Json& queues) {
  if (!noted("queues.")) return;
  out_.line(6, "queues:");
  for (const Json& queue : queues) {
    const std::string path = "queues." + std::to_string(queue["queue"].get<unsigned>()) + '.';
    if (!noted(path)) continue;
    out_.line(8, "- queue: " + queue["queue"].dump());
    for (const auto& [name, value] : queue.items()) write_key(10, name, path + name, value);
  }
}

/// Adds comments for keys that were measured but have their default value, and for keys whose values are
/// unknown.
void LabFile::write_rest() {
  for (const auto& [path, why] : measured_.of.notes)
    if (written_.count(path) == 0) out_.comment(6, path + ": the default; " + why);
  for (const auto& [key, why] : measured_.of.unknown) out_.comment(6, key + ": unknown: " + why);
}

void LabFile::write_switch(const Json& json) {
  out_.line(4, "- name: " + yaml_flow(json["name"]));
  for (const auto& [key, value] : json.items()) {
    if (key == "queues") {
      write_queues(value);
    } else if (key == "dscp_to_queue") {
      Json others = Json::object();  // DSCPs that do not use queue 0
      for (const auto& [dscp, queue] : value.items())
        if (queue != 0) others[dscp] = queue;
      write_key(6, key, key, others);
    } else if (value.is_object() && key != "pcp_to_queue") {
      write_section(key, value);
    } else {
      write_key(6, key, key, value);
    }
  }
  write_rest();
}

void LabFile::write_links(const Json& links) {
  out_.line(2,
            "links:", measured_.delay_note.empty() ? "delay: not known" : "delay: " + measured_.delay_note);
  const switchtest::Roles& roles = run_.report.settings.roles;
  for (std::size_t i = 0; i < links.size(); ++i) {
    Json link = links[i];
    if (measured_.delay_note.empty() && link["delay"] == config::format_time(0)) link.erase("delay");
    const char* why = "";
    if (i == roles.a) why = "preflight: pauses that the switch sends to A";
    if (i == roles.d) why = "preflight: pauses of D that the switch obeys";
    out_.line(4, "- " + yaml_flow(link), why);
  }
}

void LabFile::write_switch_test() {
  out_.line(0, "");
  out_.line(0, "switch_test:");
  const auto section = run_.config.find("switch_test");
  if (section == run_.config.end()) throw std::logic_error("a switch test without its configuration");
  Json settings = *section;
  settings["rig"] = "virtual";
  for (const auto& [key, value] : settings.items()) out_.line(2, key + ": " + yaml_flow(value));
}

std::string LabFile::text() {
  config::LabConfig lab;
  lab.network = measured_.network;
  lab.link_rules.resize(lab.network.links.size());
  const Json network = config::emit_network(lab);
  write_head();
  out_.line(0, "network:");
  out_.line(2, "switches:");
  write_switch(network["switches"][0]);
  write_links(network["links"]);
  write_switch_test();
  return out_.text();
}

/// Returns the delay of the cables, if it is in the configuration.
std::optional<Time> configured_cable(const SwitchRun& run) {
  const auto section = run.config.find("switch_test");
  if (section == run.config.end() || !section->contains("cable")) return std::nullopt;
  return config::parse_time((*section)["cable"].get<std::string>()).value;
}

}  // namespace

std::string switch_as_lab(const SwitchRun& run) {
  const MeasuredNetwork measured =
      measured_network(run.report, switch_identifier(run.device), configured_cable(run));
  std::string out = LabFile(run, measured).text();
  try {
    config::load_switch_test_text(out, "the measured switch");
  } catch (const config::ConfigError& e) {
    throw std::logic_error(std::string("the measured switch is not a valid configuration: ") + e.what());
  }
  return out;
}

}  // namespace softfeb::report
