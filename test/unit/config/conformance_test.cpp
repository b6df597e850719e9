// SPDX-License-Identifier: BSD-3-Clause
#include "config/load.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace softfeb;
using namespace softfeb::config;

namespace {

constexpr const char* kConformanceBase = R"(
ports: [{name: p0, device: net_null}]
boards: [{name: feb0, port: p0, ip: 10.0.0.1/24}]
)";

RunConfig load_section(const std::string& section) {
  return load_run_text(kConformanceBase + ("conformance: " + section), "c.yaml");
}

std::string problems_of_section(const std::string& section) {
  try {
    load_section(section);
  } catch (const ConfigError& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("conformance: a target and what runs against it") {
  const auto c = *load_section(
                      "{target: 'sink://10.0.0.2:9', profile: rxe-6.1, cases: [PSN, '!STR'], second_ip: "
                      "10.0.0.9, time_limit: 10min}")
                      .conformance;
  CHECK(c.target == "sink://10.0.0.2:9");
  CHECK(c.profile == "rxe-6.1");
  CHECK(c.cases == std::vector<std::string>{"PSN", "!STR"});
  CHECK(to_string(*c.second_ip) == "10.0.0.9");
  CHECK(c.time_limit == 600 * kSecond);
  CHECK_FALSE(load_run_text(kConformanceBase, "c.yaml").conformance);
}

TEST_CASE("conformance: listed queue pairs") {
  const std::string section =
      "{ip: 10.0.0.2, qps: [{qpn: 0x12, dest_qpn: 0x100, psn: 5, rkey: 7, address: 0x1000, length: 1MiB}]}";
  const RunConfig run = load_section(section);
  REQUIRE(run.conformance->qps.size() == 1);
  CHECK(run.conformance->qps[0].qpn == 0x12);
  CHECK(run.conformance->qps[0].length == 1U << 20);
  // The configuration that is written is read back unchanged.
  const RunConfig again = load_run_text(to_yaml(run), "c.yaml");
  CHECK(to_json(again) == to_json(run));
}

TEST_CASE("conformance: mistakes are reported with place and fix") {
  const auto names = [](const std::string& section, const char* part) {
    const std::string text = problems_of_section(section);
    INFO(text);
    return text.find(part) != std::string::npos && text.find("fix") != std::string::npos;
  };
  CHECK(names("{}", "names no target"));
  CHECK(names("{target: 'tcp://x'}", "is not a target"));
  CHECK(names("{target: listed, ip: 10.0.0.2}", "no listed queue pairs"));
  CHECK(
      names("{qps: [{qpn: 2, dest_qpn: 2, psn: 0, rkey: 0, address: 0, length: 1MiB}]}", "need the address"));
  CHECK(names("{target: 'own:', pmtu: 1500}", "is not a path MTU"));
  CHECK(names("{target: 'own:', ip6: 'fd00::1/64'}", "belong together"));
  CHECK(names("{target: 'own:', attempts: 0}", "attempts"));
  CHECK(names("{target: 'own:', tarfget: x}", "tarfget"));
  CHECK(names("{ip: 10.0.0.2, qps: [{qpn: 2}]}", "dest_qpn"));
}
