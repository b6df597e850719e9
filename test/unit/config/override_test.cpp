// SPDX-License-Identifier: BSD-3-Clause
#include "documents.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::config;
using namespace softfeb::config::test;

TEST_CASE("--set reaches maps by key and lists by index or name") {
  const RunConfig config =
      load(kBase, {"run.duration=3s", "boards.feb0.qps.0.traffic.rate=5Gb/s", "ports.1.steering=off",
                   "receivers.daq.cnp.scope=ip_pair", "run.duration=4s"});
  CHECK(config.run.duration == 4 * kSecond);
  CHECK(config.boards[0].qps[0].traffic.rate.per_second == 625'000'000);
  CHECK(config.ports[1].steering == SteeringTier::kSoftware);
  CHECK(config.receivers[0].cnp.scope == softfeb::roce::CnpScope::kIpPair);
}

TEST_CASE("--set takes whole sections, appends to lists, and turns a word into a section") {
  RunConfig config = load(kBase, {"ports.2={name: more, device: net_null}"});
  REQUIRE(config.ports.size() == 3);
  CHECK(config.ports[2].name == "more");
  config = load(
      kBase, {"boards.0.qps.0.traffic.payload=zero", "boards.0.qps.0.traffic.payload.file=/etc/os-release"});
  CHECK(config.boards[0].qps[0].traffic.payload.kind == softfeb::board::PayloadKind::kFile);
  config = load(kBase, {"boards.0.neighbours={10.0.0.7: 02:00:00:00:00:07}"});
  CHECK(config.boards[0].endpoint.neighbours.size() == 1);
}

TEST_CASE("mistakes in --set are reported as such") {
  const struct {
    const char* assignment;
    const char* key;
    const char* message;
  } rows[] = {{"run.duration", "run.duration", "not KEY=VALUE"},
              {"=5", "=5", "not KEY=VALUE"},
              {"run.duration=", "run.duration", "no value"},
              {"run..duration=5s", "run..duration", "dotted path"},
              {"run.duration.=5s", "run.duration.", "dotted path"},
              {"ports.5.mtu=1500", "ports.5.mtu", "no element \"5\""},
              {"ports.xyz.mtu=1500", "ports.xyz.mtu", "no element"},
              {"run.duration=[", "run.duration", ""},
              {"run.durration=5s", "run.durration", "unknown key"},
              {"run.duration=5", "run.duration", "no unit"},
              {"boards.feb0.qps.0.pmtu=1000", "boards.0.qps.0.pmtu", "not a path MTU"},
              {"boards=5", "boards", "not a list"}};
  for (const auto& row : rows) {
    INFO(row.assignment);
    const auto found = problems(kBase, {row.assignment});
    REQUIRE(found.size() == 1);
    INFO(to_string(found[0]));
    CHECK(found[0].where.file == "--set");
    CHECK(found[0].where.line == 0);
    CHECK(found[0].where.key == row.key);
    CHECK(found[0].message.find(row.message) != std::string::npos);
    CHECK_FALSE(found[0].fix.empty());
  }
}
