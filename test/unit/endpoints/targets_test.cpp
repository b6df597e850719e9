// SPDX-License-Identifier: BSD-3-Clause
// Tests the sessions in which boards send events to rdma-sinks.
#include "endpoints/targets.hpp"

#include "../peers/fake_server.hpp"
#include "config/error.hpp"
#include "config/load.hpp"
#include "endpoints/payloads.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::endpoints;
using nlohmann::json;

namespace {

/// Three boards that send events to two rdma-sinks, and a fourth board with other traffic.
std::string document(std::uint16_t first, std::uint16_t second) {
  const auto url = [](std::uint16_t port) { return "sink://127.0.0.1:" + std::to_string(port); };
  return R"(ports: [{name: p, device: net_null0, mtu: 4200}]
triggers: [{name: camera, sources: [{kind: random, rate: 10kHz}]}]
boards:
  - name: plain
    port: p
    ip: 10.0.0.90/24
    qps: [{to: {ip: 10.0.0.99, qpn: 17, rkey: 1, address: 0, length: 1MiB}}]
  - name: feb
    count: 3
    port: p
    ip: 10.0.0.1/24
    events: {trigger: camera, kind: counter, slots: 8, slot: 4KiB, piece: 1000B, to: [)" +
         url(first) + ", " + url(second) + "]}\n";
}

/// Returns a script for a fake server that answers as rdma-sink does. The answer repeats the layout of the
/// events that the client describes, modified by `change`.
FakeServer::Script sink(std::string& hello, std::uint64_t qpn, const json& change = json::object()) {
  return [&hello, qpn, change](FakeServer::Client& client) {
    hello = client.read_line();
    json answer{{"version", 1}, {"ip", "10.0.0.200"}, {"events", json::parse(hello)["events"]}};
    answer["events"].update(change);
    for (std::uint64_t b = 0; b < 3; ++b) {
      answer["qps"].push_back(
          {{"qpn", qpn + b}, {"psn", 0}, {"rkey", 5}, {"address", 4096}, {"length", 3 * 8 * 4096}});
    }
    client.write(answer.dump() + "\n");
    client.read_line();
  };
}

void connect(const config::RunConfig& config, Targets& targets) {
  const Payloads payloads(config);
  targets.connect(
      payloads, [](const std::string&) {}, [](std::size_t) { return std::string(); }, [] { return true; });
}

}  // namespace

TEST_CASE("an rdma-sink that builds events has one session for all boards", "[endpoints]") {
  std::string hellos[2];
  FakeServer first(sink(hellos[0], 20));
  FakeServer second(sink(hellos[1], 30));
  const auto config = config::load_run_text(document(first.port(), second.port()), "run.yaml");
  {
    Targets targets(config);
    CHECK(targets.sessions().size() == 2);
    connect(config, targets);
    for (std::size_t k = 0; k < 2; ++k) {
      const Targets::Session& session = targets.sessions()[k];
      REQUIRE(session.plans.size() == 3);
      for (std::size_t b = 0; b < 3; ++b) {
        const QpPlan& plan = targets.plans()[session.plans[b]];
        CHECK(config.boards[plan.board].events->board == b);
        CHECK(plan.on_board == k);
        CHECK(plan.qpn == 0x100 + k);
        CHECK(plan.target.qpn == 20 + 10 * k + b);
        CHECK(plan.target.address == 4096);
        CHECK(plan.target.rkey == 5);
      }
    }
  }
  first.join();
  second.join();
  for (std::size_t k = 0; k < 2; ++k) {
    const json said = json::parse(hellos[k]);
    CHECK(said["ip"] == "10.0.0.1");
    CHECK(said["immediate"] == true);
    CHECK(said["payload"].is_null());
    CHECK(said["message_size"] == 1064);
    REQUIRE(said["qps"].size() == 3);
    CHECK_FALSE(said["qps"][0].contains("ip"));
    CHECK(said["qps"][1]["ip"] == "10.0.0.2");
    CHECK(said["qps"][2]["ip"] == "10.0.0.3");
    CHECK(said["qps"][2]["qpn"] == 0x100 + k);
    json layout = json::parse(R"({"boards": 3, "slots": 8, "slot": 4096, "piece": 1000, "builders": 2})");
    layout["builder"] = k;
    CHECK(said["events"] == layout);
  }
}

TEST_CASE("an rdma-sink with another layout of events is refused at `to`", "[endpoints]") {
  std::string hello;
  FakeServer server(sink(hello, 20, {{"builders", 1}}));
  const auto config = config::load_run_text(document(server.port(), 1), "run.yaml");
  Targets targets(config);
  try {
    connect(config, targets);
    FAIL("not refused");
  } catch (const config::ConfigError& e) {
    CHECK_THAT(e.what(), Catch::StartsWith("run.yaml:12: boards.1.events.to: sink://127.0.0.1:"));
    CHECK_THAT(e.what(), Catch::Contains("builders is 2, but there 1; fix: "));
  }
}

TEST_CASE("the reason for which rdma-sink refuses events has the place of `to`", "[endpoints]") {
  FakeServer server([](FakeServer::Client& client) {
    client.read_line();
    client.write("{\"error\": \"the client sends events; fix: rdma-sink --events\"}\n");
  });
  const auto config = config::load_run_text(document(server.port(), 1), "run.yaml");
  Targets targets(config);
  try {
    connect(config, targets);
    FAIL("not refused");
  } catch (const config::ConfigError& e) {
    CHECK_THAT(e.what(), Catch::StartsWith("run.yaml:12: boards.1.events.to: sink://127.0.0.1:"));
    CHECK_THAT(e.what(), Catch::Contains("the client sends events; fix: rdma-sink --events"));
  }
}
