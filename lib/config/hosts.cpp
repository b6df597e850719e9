// SPDX-License-Identifier: BSD-3-Clause
#include "config/draft.hpp"
#include "config/error.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::config {

namespace {

constexpr std::size_t kMostHosts = 1024;

/// Parses the name of a host. The allowed characters are limited, because the name becomes part of a file
/// name.
Parsed<std::string> parse_host(const std::string& text) {
  const auto allowed = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' || c == '_';
  };
  if (!text.empty() && text.size() <= 253 && std::all_of(text.begin(), text.end(), allowed)) return text;
  return {'"' + text + "\" is not the name of a host", "write letters, digits, `-`, `.` and `_`"};
}

std::vector<std::string> names_of(const std::vector<HostConfig>& hosts) {
  std::vector<std::string> names;
  for (const HostConfig& host : hosts) names.push_back(host.name);
  return names;
}

/// Returns the index of host `name`. If there is none, reports a problem that suggests the closest name.
std::optional<std::size_t> find_host(Reading& reading, const std::vector<std::string>& names,
                                     const std::string& name, const Where& where) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  const std::string* const near = nearest(name, names);
  std::string fix = near == nullptr ? "write one of " : "did you mean `" + *near + "`?";
  for (std::size_t i = 0; near == nullptr && i < names.size(); ++i) fix += (i == 0 ? "" : ", ") + names[i];
  reading.problem(where, "no host \"" + name + '"', fix);
  return std::nullopt;
}

void check_hosts(Reading& reading, const RunConfig& config) {
  for (std::size_t h = 0; h < config.hosts.size(); ++h) {
    const HostConfig& host = config.hosts[h];
    const auto same = [&host](const HostConfig& other) { return other.name == host.name; };
    if (std::find_if(config.hosts.begin(), config.hosts.end(), same) - config.hosts.begin() !=
        static_cast<std::ptrdiff_t>(h))
      reading.problem(config.place(host.where, "name"), "the name \"" + host.name + "\" is taken",
                      "give each its own name");
    else if (std::none_of(config.ports.begin(), config.ports.end(),
                          [h](const PortConfig& port) { return port.host == h; }))
      reading.problem(host.where, "host \"" + host.name + "\" has no port",
                      "write `host: " + host.name + "` for one of the `ports`, or remove the host");
  }
}

}  // namespace

void read_hosts(Section& document, RunConfig& config) {
  for (const Node& node : document.list("hosts")) {
    Section s(document.reading(), node, "hosts[]");
    HostConfig& host = config.hosts.emplace_back();
    host.where = s.where();
    s.require("name", host.name, parse_host, "tx1");
    s.close();
  }
  if (config.hosts.size() > kMostHosts)
    document.reading().problem(document.find("hosts")->where, "there are too many hosts",
                               "write at most " + std::to_string(kMostHosts));
}

void refuse_hosts(Section& document) {
  if (!document.given("hosts")) return;
  document.reading().problem(
      document.find("hosts")->where, "this command runs on one machine",
      "remove `hosts`; several hosts share `softfeb-mpi run`, and the parts of a simulated "
      "network share `softfeb-mpi lab --virtual`");
}

void resolve_hosts(Reading& reading, RunConfig& config) {
  const std::vector<std::string> names = names_of(config.hosts);
  const std::size_t before = reading.problems.size();
  for (PortConfig& port : config.ports) {
    const Where where = config.place(port.where, "host");
    if (names.empty()) {
      if (!port.host_name.empty())
        reading.problem(where, "there is no list `hosts`",
                        "add `hosts: [{name: " + port.host_name + "}]`, or remove `host`");
    } else if (port.host_name.empty()) {
      reading.problem(where, "`host` is missing", "add `host: " + names.front() + '`');
    } else {
      port.host = find_host(reading, names, port.host_name, where);
    }
  }
  if (reading.problems.size() == before) check_hosts(reading, config);
}

}  // namespace softfeb::config
