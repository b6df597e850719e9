// SPDX-License-Identifier: BSD-3-Clause
// Reads profiles. doc/conformance-profiles.md describes the format.
#include "conformance/profile.hpp"

#include "conformance/yaml_values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace softfeb::conformance {

namespace {

/// Reads one profile. Its functions throw NotationError, whose message begins with the line and the key.
class ProfileReader {
 public:
  explicit ProfileReader(const Catalogue& catalogue) : catalogue_(catalogue) {}

  Profile read(const YAML::Node& root, std::string& base);

 private:
  const Case& find_case(const YAML::Node& key) const;
  void read_timing(const YAML::Node& map, Profile& out) const;
  void read_orders(const YAML::Node& map, Profile& out) const;
  std::set<std::string> read_capabilities(const YAML::Node& list, const char* key) const;
  void read_limits(const YAML::Node& map, Profile& out) const;
  Deviation read_deviation(const YAML::Node& map, const std::string& id) const;

  const Catalogue& catalogue_;
};

std::string scalar(const YAML::Node& node, const std::string& key) {
  if (!node.IsScalar()) refuse_node(node, key + ": a text is expected");
  return node.as<std::string>();
}

bool yes_or_no(const YAML::Node& node, const std::string& key) {
  bool value = false;
  if (!YAML::convert<bool>::decode(node, value))
    refuse_node(node, key + ": '" + scalar(node, key) + "' is neither true nor false");
  return value;
}

void expect_map(const YAML::Node& node, const std::string& key, const char* example) {
  if (!node.IsMap())
    refuse_node(node, key + ": keys with values are expected; fix: write for example " + example);
}

void expect_list(const YAML::Node& node, const std::string& key, const char* example) {
  if (!node.IsSequence()) refuse_node(node, key + ": a list is expected; fix: write for example " + example);
}

/// Reads the limit of a figure: a number in the figure's unit or, for figures that are times, a time. The
/// unit of all such figures is a microsecond.
double limit_of(const YAML::Node& node, const std::string& key) {
  const std::string text = scalar(node, key);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && std::isfinite(value)) return value;
  return to_seconds(time_of(node)) * 1e6;
}

bool not_filled_in(const std::string& why) {
  const std::string_view text = trimmed(why);
  return text.empty() || text.substr(0, 4) == "TODO";
}

const Case& ProfileReader::find_case(const YAML::Node& key) const {
  const auto id = key.as<std::string>();
  const Case* const found = catalogue_.find(id);
  if (found == nullptr) {
    refuse_node(key, "unknown case '" + id + "'; the nearest is " + catalogue_.nearest(id) +
                         "; fix: use an id of softfeb conformance --list");
  }
  return *found;
}

void ProfileReader::read_timing(const YAML::Node& map, Profile& out) const {
  expect_map(map, "timing", "{t_ack: 100ms, silence: 250ms}");
  check_keys(map, {"t_ack", "silence"});
  if (map["t_ack"]) out.t_ack = time_of(map["t_ack"]);
  if (map["silence"]) out.silence = time_of(map["silence"]);
  if (out.t_ack == Time{0} || out.silence == Time{0})
    refuse_node(map, "timing: a window of 0 lets no answer in; fix: write for example 100ms");
}

void ProfileReader::read_orders(const YAML::Node& map, Profile& out) const {
  expect_map(map, "orders", "{bounds_before_length: true}");
  check_keys(map, {"bounds_before_length"});
  if (map["bounds_before_length"])
    out.bounds_before_length = yes_or_no(map["bounds_before_length"], "bounds_before_length");
}

std::set<std::string> ProfileReader::read_capabilities(const YAML::Node& list, const char* key) const {
  expect_list(list, key, "[notification_point]");
  const auto& known = lackable();
  std::set<std::string> out;
  for (const auto& item : list) {
    const std::string name = scalar(item, key);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const auto near = std::min_element(known.begin(), known.end(), [&](const auto& a, const auto& b) {
        return edit_distance(name, a) < edit_distance(name, b);
      });
      std::string all;
      for (const std::string& one : known) all += (all.empty() ? "" : ", ") + one;
      refuse_node(item, std::string(key) + ": unknown capability '" + name + "'; the nearest is " + *near +
                            "; fix: use one of " + all);
    }
    out.insert(name);
  }
  return out;
}

void ProfileReader::read_limits(const YAML::Node& map, Profile& out) const {
  expect_map(map, "limits", "{ACK-09.ack_p99: 1ms}");
  for (const auto& entry : map) {
    const auto name = entry.first.as<std::string>();
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos || dot + 1 == name.size())
      refuse_node(entry.first, "limits: '" + name +
                                   "' names no figure; fix: write CASE.FIGURE, for example "
                                   "ACK-09.p99");
    if (catalogue_.find(name.substr(0, dot)) == nullptr) {
      refuse_node(entry.first, "limits: unknown case '" + name.substr(0, dot) + "'; the nearest is " +
                                   catalogue_.nearest(name.substr(0, dot)) +
                                   "; fix: use an id of softfeb conformance --list");
    }
    out.limits[name] = limit_of(entry.second, "limits: " + name);
  }
}

Deviation ProfileReader::read_deviation(const YAML::Node& map, const std::string& id) const {
  expect_map(map, id, "{observe: silence, why: \"…\"}");
  check_keys(map, {"why", "source", "versions", "kernels", "until", "observe", "written", "tolerated",
                   "completions", "state", "destructive"});
  Deviation out;
  if (map["why"]) out.why = scalar(map["why"], id + ".why");
  if (not_filled_in(out.why)) {
    refuse_node(map,
                id + ".why: the reason has not been filled in; fix: say why the target deviates, or remove "
                     "the deviation");
  }
  if (map["source"]) out.source = scalar(map["source"], id + ".source");
  if (map["versions"]) out.versions = scalar(map["versions"], id + ".versions");
  if (map["kernels"]) out.versions = scalar(map["kernels"], id + ".kernels");
  if (map["until"]) out.until = scalar(map["until"], id + ".until");
  if (map["observe"]) {
    try {
      out.observe = Expectation::parse(scalar(map["observe"], id + ".observe"));
    } catch (const NotationError& error) {
      const std::string_view what = error.what();
      if (what.substr(0, 5) == "line ") throw;
      refuse_node(map["observe"], id + ".observe: " + std::string(what));
    }
  }
  if (map["tolerated"] && !map["written"])
    refuse_node(map["tolerated"], id + ".tolerated: it belongs to 'written'; fix: add written: none");
  if (map["written"]) out.written = read_written(map);
  if (map["completions"]) {
    expect_list(map["completions"], id + ".completions", "[{length: 3P}]");
    out.completions = read_completions(map["completions"]);
  }
  if (map["state"]) out.state = state_of(map["state"]);
  if (map["destructive"]) out.destructive = yes_or_no(map["destructive"], id + ".destructive");
  YAML::Emitter text;
  text << map;
  out.text = text.c_str();
  return out;
}

Profile ProfileReader::read(const YAML::Node& root, std::string& base) {
  check_keys(root, {"name", "base", "device", "sources", "timing", "lacks", "has", "orders", "cnps_with_naks",
                    "limits", "deviations"});
  Profile out;
  if (!root["name"]) refuse_node(root, "name: it is missing; fix: add name: NAME");
  out.name = scalar(root["name"], "name");
  base = root["base"] ? scalar(root["base"], "base") : "";
  if (root["device"]) out.device = scalar(root["device"], "device");
  if (root["sources"]) {
    expect_list(root["sources"], "sources", "[\"measured on …\"]");
    for (const auto& item : root["sources"]) out.sources.push_back(scalar(item, "sources"));
  }
  if (root["timing"]) read_timing(root["timing"], out);
  if (root["lacks"]) out.lacks = read_capabilities(root["lacks"], "lacks");
  if (root["has"]) out.has = read_capabilities(root["has"], "has");
  if (root["orders"]) read_orders(root["orders"], out);
  if (root["cnps_with_naks"]) out.cnps_with_naks = yes_or_no(root["cnps_with_naks"], "cnps_with_naks");
  if (root["limits"]) read_limits(root["limits"], out);
  if (const YAML::Node map = root["deviations"]) {
    expect_map(map, "deviations", "{UC-09: {observe: silence, why: \"…\"}}");
    for (const auto& entry : map) {
      const Case& c = find_case(entry.first);
      if (out.deviations.count(c.id) != 0)
        refuse_node(entry.first, "deviations: " + c.id + " stands here twice; fix: remove one of them");
      out.deviations[c.id] = read_deviation(entry.second, c.id);
    }
  }
  return out;
}

/// Converts "line 12: …" to "FILE:12: …".
std::string with_file(std::string_view file, std::string_view what) {
  constexpr std::string_view kLine = "line ";
  const bool line = what.substr(0, kLine.size()) == kLine;
  return std::string(file) + ":" + (line ? "" : " ") + std::string(line ? what.substr(kLine.size()) : what);
}

}  // namespace

Profile parse_profile(std::string_view text, std::string_view file, const Catalogue& catalogue,
                      std::string& base) {
  try {
    return ProfileReader(catalogue).read(YAML::Load(std::string(text)), base);
  } catch (const YAML::Exception& error) {
    throw NotationError(std::string(file) + ":" + std::to_string(error.mark.line + 1) + ": " + error.msg +
                        "; fix: correct the YAML");
  } catch (const NotationError& error) {
    throw NotationError(with_file(file, error.what()));
  }
}

}  // namespace softfeb::conformance
