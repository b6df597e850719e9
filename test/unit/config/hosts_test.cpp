// SPDX-License-Identifier: BSD-3-Clause
#include "config/emit.hpp"
#include "documents.hpp"
#include "expected_problem.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::config;
using namespace softfeb::config::test;

namespace {

/// Two hosts: one with a board, one with a receiver.
const std::string kTwoHosts =
    "run: {duration: 10s, start_lead: 500ms, clock_limit: 50us}\n"
    "workers: {count: 2}\n"
    "hosts: [{name: tx1}, {name: rx}]\n"
    "ports:\n"
    "  - {name: a, host: tx1, device: net_af_packet:eth0}\n"
    "  - {name: b, host: rx, device: net_af_packet:eth0}\n"
    "boards:\n"
    "  - {name: feb, count: 2, port: a, ip: 10.0.0.1/24, qps: [{to: daq, traffic: {rate: 1Gb/s}}]}\n"
    "receivers:\n"
    "  - {name: daq, count: 2, port: b, ip: 10.0.0.101/24}\n";

}  // namespace

TEST_CASE("ports and their endpoints belong to a host") {
  RunConfig config = load(kTwoHosts);
  REQUIRE(config.hosts.size() == 2);
  CHECK(config.hosts[1].name == "rx");
  CHECK(config.ports[0].host == 0);
  CHECK(config.ports[1].host == 1);
  CHECK(config.run.start_lead == 500 * kMillisecond);
  CHECK(config.run.clock_limit == 50 * kMicrosecond);
  CHECK(config.is_here(1));
  config.here = 0;
  CHECK(config.is_here(config.boards[1].endpoint));
  CHECK_FALSE(config.is_here(config.receivers[0].endpoint));
}

TEST_CASE("the workers of each host share the endpoints of that host") {
  const RunConfig config = load(kTwoHosts);
  CHECK(config.boards[0].endpoint.worker != config.boards[1].endpoint.worker);
  CHECK(config.receivers[0].endpoint.worker != config.receivers[1].endpoint.worker);
}

TEST_CASE("a configuration with hosts is emitted as it is read") {
  const std::string once = to_yaml(load(kTwoHosts));
  CHECK(once.find("hosts:") != std::string::npos);
  CHECK(to_yaml(load(once)) == once);
  CHECK(to_yaml(load(kBase)).find("host") == std::string::npos);
}

TEST_CASE("hosts and ports that do not match are refused") {
  const auto fix_of = [](const std::string& from, const std::string& to) {
    const auto found = problems(replaced(kTwoHosts, from, to));
    REQUIRE(found.size() == 1);
    return found.front().where.key + ": " + found.front().message + "; " + found.front().fix;
  };
  CHECK(fix_of("b, host: rx", "b, host: rxx") == "ports.1.host: no host \"rxx\"; did you mean `rx`?");
  CHECK(fix_of("b, host: rx", "b") == "ports.1.host: `host` is missing; add `host: tx1`");
  CHECK(fix_of("b, host: rx", "b, host: tx1") ==
        "hosts.1: host \"rx\" has no port; write `host: rx` for one of the `ports`, or remove the host");
  CHECK(fix_of("{name: rx}", "{name: tx1}, {name: rx}") ==
        "hosts.1.name: the name \"tx1\" is taken; give each its own name");
  CHECK(fix_of("{name: tx1}", "{name: tx/1}") ==
        "hosts.0.name: \"tx/1\" is not the name of a host; write letters, digits, `-`, `.` and `_`");
  CHECK(problems(replaced(kBase, "name: nic", "name: nic\n    host: rx")).front().message ==
        "there is no list `hosts`");
}

TEST_CASE("a net_ring does not leave its host") {
  std::string text = replaced(kTwoHosts, "tx1, device: net_af_packet:eth0", "tx1, device: net_ring:x");
  text = replaced(text, "rx, device: net_af_packet:eth0", "rx, device: net_ring:x");
  const auto found = problems(text);
  REQUIRE(found.size() >= 1);
  CHECK(found.front().message.find("1 end on host tx1") != std::string::npos);
  CHECK(found.back().message.find("are on two hosts") != std::string::npos);
}
