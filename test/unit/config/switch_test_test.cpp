// SPDX-License-Identifier: BSD-3-Clause
#include "config/load.hpp"
#include "config/switch_test_config.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::config;

namespace {

const std::string kNetwork = R"(
network:
  switches: [{name: dut, buffer: 1MiB, pause: {xoff: 1000KiB, xon: 500KiB}}]
  links:
    - {ends: [p0..p2, dut], rate: 10Gb/s, delay: 500ns}
    - {ends: [p3, dut], rate: 10Gb/s, delay: 500ns, flow_control: pause}
)";

LabConfig load_section(const std::string& section, const std::string& rest = kNetwork) {
  return load_switch_test_text("switch_test: " + section + "\n" + rest, "file.yaml");
}

std::string problems_of(const std::string& section, const std::string& rest = kNetwork) {
  try {
    load_section(section, rest);
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("Rig ports are the stations of the network", "[config]") {
  const LabConfig config = load_section("{map: {A: p0, B: p1, C: p2, D: p3}, seed: 7}");
  REQUIRE(config.run.switch_test);
  const SwitchTestConfig& test = *config.run.switch_test;
  CHECK(test.rig == switchtest::RigKind::kVirtual);
  CHECK(test.ports == std::vector<std::string>{"p0", "p1", "p2", "p3"});
  CHECK(test.settings.roles.a == 0);
  CHECK(test.settings.roles.b == 1);
  CHECK(test.settings.roles.c == 2);
  CHECK(test.settings.roles.d == 3);
  CHECK(test.settings.roles.e == 2);
  CHECK(config.network.seed == 7);
  REQUIRE(config.network.stations.size() == 4);
  CHECK(config.network.stations[3].name == "p3");
  CHECK(config.network.links.size() == 4);
}

TEST_CASE("The third of three ports plays B, C and E", "[config]") {
  const std::string network = R"(
network:
  switches: [{name: dut, buffer: 1MiB}]
  links: [{ends: [p0..p2, dut], rate: 10Gb/s, delay: 500ns}]
)";
  for (const char* role : {"B", "C", "E"}) {
    const LabConfig config = load_section("{map: {A: p0, D: p1, " + std::string(role) + ": p2}}", network);
    const switchtest::Roles& roles = config.run.switch_test->settings.roles;
    CHECK(roles.b == config.run.switch_test->settings.roles.c);
    CHECK(roles.c == config.run.switch_test->settings.roles.e);
    CHECK(roles.senders().size() == 2);
  }
}

TEST_CASE("Loading an emitted switch test gives the same configuration", "[config]") {
  const LabConfig config = load_section(
      "{map: {A: p0, B: p1, C: p2, D: p3}, profile: quick, sizes: [78, 1026], soak: 1h, device: 'X 1', dscp: "
      "8, cable: 15ns}");
  const std::string text = to_yaml(config);
  CHECK(to_yaml(load_switch_test_text(text, "again.yaml")) == text);
  CHECK(text.find("quick") != std::string::npos);
  CHECK(config.run.switch_test->settings.cable == 15 * kNanosecond);
  CHECK(problems_of("{map: {A: p0, B: p1, C: p2, D: p3}, cable: 2s}").find("cable") != std::string::npos);
}

TEST_CASE("Pause storms are permitted explicitly", "[config]") {
  const std::string map = "map: {A: p0, B: p1, C: p2, D: p3}";
  CHECK_FALSE(load_section("{" + map + "}").run.switch_test->settings.allow_storm);
  const LabConfig permitted = load_section("{" + map + ", allow_storm: true}");
  CHECK(permitted.run.switch_test->settings.allow_storm);
  const LabConfig again = load_switch_test_text(to_yaml(permitted), "again.yaml");
  CHECK(again.run.switch_test->settings.allow_storm);
  CHECK(problems_of("{" + map + ", allow_storm: 2}").find("allow_storm") != std::string::npos);
}

TEST_CASE("The addresses behind the next hops are read and emitted", "[config]") {
  const std::string text = to_yaml(load_section(
      "{map: {A: p0, D: p1}, next_hops: [p2, p3], behind: {mac: '02:00:00:00:00:09', ip: 198.19.0.1}}"));
  const LabConfig again = load_switch_test_text(text, "again.yaml");
  const switchtest::Settings& settings = again.run.switch_test->settings;
  CHECK(settings.roles.next_hops == std::vector<std::uint16_t>{2, 3});
  REQUIRE(settings.behind_next_hops);
  CHECK(to_string(settings.behind_next_hops->v4) == "198.19.0.1");
  CHECK(problems_of("{map: {A: p0, B: p1, C: p2, D: p3}, behind: {mac: '02:00:00:00:00:09', ip: 1.2.3.4}}")
            .find("no next hops") != std::string::npos);
}

TEST_CASE("Real ports need no network", "[config]") {
  const std::string ports = "ports: [{name: x, device: net_null}, {name: y, device: net_null}]";
  CHECK(load_section("{rig: ports, map: {A: x, D: y}}", ports).network.stations.empty());
  CHECK(problems_of("{rig: ports, map: {A: x, D: y}}", ports + kNetwork).find("real network") !=
        std::string::npos);
  CHECK(problems_of("{rig: ports, map: {A: x, D: z}}", ports).find("no port \"z\"") != std::string::npos);
}

TEST_CASE("A wrong switch test is refused with place and fix", "[config]") {
  const auto says = [](const std::string& section, const std::string& what,
                       const std::string& rest = kNetwork) {
    const std::string text = problems_of(section, rest);
    INFO(text);
    CHECK(text.find(what) != std::string::npos);
  };
  says("{map: {A: p0, B: p1, C: p2, D: p0}}", "named twice");
  says("{map: {A: p0, B: p1, C: p2}}", "`D` is missing");
  says("{rig: virtual}", "map");
  says("{map: {A: p0, B: p1, C: p2, D: p9}}", "port \"p3\"");
  says("{map: {A: p0, D: p3}}", "port \"p2\"");
  says("{map: {A: p0, B: p1, C: p2, D: p3}, sizes: [64]}", "no RoCE frame has 64 bytes");
  says("{map: {A: p0, B: p1, C: p2, D: p3}, rig: magic}", "virtual, rings, ports");
  says("{map: {A: p0, B: p1, C: p2, D: p3}}", "no such section", kNetwork + "boards: []\n");
  says("{map: {A: p0, D: p3}}", "network", "");
}

TEST_CASE("Expectations are read with units", "[config]") {
  const auto read = load_expectations_text(R"(
throughput.xoff_bytes: {value: 256KiB, within: 5%}
throughput.p99_ns[size=1518,load=50]: {max: 20us}
throughput.load: {min: 99.9%}
throughput.gbps: {min: 9Gb/s}
throughput.where: enqueue
throughput.overhead_bytes: {value: 24, within: 1}
)",
                                           "expect.yaml");
  REQUIRE(read.size() == 6);
  CHECK(*read[0].min == Approx(262'144 * 0.95));
  CHECK(*read[0].max == Approx(262'144 * 1.05));
  CHECK(read[0].text == "256KiB ± 5%");
  CHECK(read[0].place == "expect.yaml:2");
  CHECK(*read[1].max == Approx(20'000));
  CHECK(read[1].labels.at("size") == "1518");
  CHECK(read[1].labels.at("load") == "50");
  CHECK(*read[2].min == Approx(0.999));
  CHECK(*read[3].min == Approx(9));
  CHECK(read[2].percent);
  CHECK_FALSE(read[0].percent);  // `within` is in percent, but the figure is not
  CHECK(read[4].word == "enqueue");
  CHECK(*read[5].min == Approx(23));
}

TEST_CASE("Wrong expectations are refused with their line", "[config]") {
  const auto says = [](const std::string& text, const std::string& what) {
    std::string message = "none";
    try {
      load_expectations_text(text, "expect.yaml");
    } catch (const ConfigError& e) {
      message = e.what();
    }
    INFO(message);
    CHECK(message.find(what) != std::string::npos);
  };
  says("nothing.figure: 1", "no test \"nothing\"");
  says("xoff: 1", "names no figure");
  says("throughput.load[size: 1", "`]`");
  says("throughput.load: {within: 5%}", "bounds");
  says("throughput.load: {value: 1, min: 2}", "bounds");
  says("throughput.load: {least: 2}", "least");
  says("throughput.load: {min: x}", "\"x\"");
  says("throughput.load: {min: 5%, max: 1}", "in percent");
  says("[1, 2]", "map of expectations");
}
