// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/path_finder.hpp"

#include "base/rng.hpp"

#include <set>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

std::uint64_t path_by_port(const Flow& flow, std::uint64_t salt) {
  return Rng::mixed(salt, flow.udp_source_port, 0);
}

}  // namespace

TEST_CASE("Paths follow from which flows share links", "[switchtest]") {
  const auto [paths, seed] = GENERATE(table<std::size_t, std::uint64_t>({{1, 1}, {2, 5}, {7, 3}, {16, 9}}));
  const auto number = [n = paths](const Flow& flow, std::uint64_t salt) {
    return path_by_port(flow, salt) % n;
  };
  PathFinder finder(
      [&](const std::vector<FlowPair>& pairs) {
        std::vector<bool> out;
        for (const FlowPair& p : pairs) out.push_back(number(p.first, 1) == number(p.second, 2));
        return std::optional(out);
      },
      random_flows(128, seed));
  const auto flows = flows_by(FlowField::kUdpSourcePort, 256);
  const auto found = finder.paths_of(flows);
  REQUIRE(found);
  CHECK(finder.paths() == paths);
  CHECK(finder.ambiguous() == 0);
  for (std::size_t i = 0; i < flows.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      REQUIRE((number(flows[i], 1) == number(flows[j], 1)) == ((*found)[i] == (*found)[j]));
}

TEST_CASE("Flows without shared links have no paths", "[switchtest]") {
  PathFinder finder(
      [](const std::vector<FlowPair>& pairs) { return std::optional(std::vector<bool>(pairs.size())); },
      random_flows(20, 1));
  const auto found = finder.paths_of(random_flows(10, 2));
  REQUIRE(found);
  CHECK(finder.paths() == 0);
  for (const std::size_t path : *found) CHECK(path == PathFinder::kUnknown);
}

TEST_CASE("Links that are not shared by paths are noticed", "[switchtest]") {
  // The network has two stages: flows share a link if their port numbers are equal modulo 2 or modulo 3.
  PathFinder finder(
      [](const std::vector<FlowPair>& pairs) {
        std::vector<bool> out;
        for (const auto& [a, b] : pairs)
          out.push_back(a.udp_source_port % 2 == b.udp_source_port % 2 ||
                        a.udp_source_port % 3 == b.udp_source_port % 3);
        return std::optional(out);
      },
      random_flows(64, 1));
  REQUIRE(finder.paths_of(flows_by(FlowField::kUdpSourcePort, 64)));
  CHECK(finder.ambiguous() > 8);
}

TEST_CASE("A failing rig gives no paths", "[switchtest]") {
  PathFinder finder(
      [](const std::vector<FlowPair>&) -> std::optional<std::vector<bool>> { return std::nullopt; },
      random_flows(20, 1));
  CHECK_FALSE(finder.paths_of(random_flows(10, 2)));
}

TEST_CASE("Flows differ in one field", "[switchtest]") {
  for (const FlowField field : {FlowField::kUdpSourcePort, FlowField::kDestQp, FlowField::kSourceAddress}) {
    std::set<std::uint32_t> ports, qps, hosts;
    for (const Flow& flow : flows_by(field, 1024)) {
      ports.insert(flow.udp_source_port);
      qps.insert(flow.dest_qp);
      hosts.insert(flow.source_host);
    }
    CHECK(ports.size() == (field == FlowField::kUdpSourcePort ? 1024 : 1));
    CHECK(qps.size() == (field == FlowField::kDestQp ? 1024 : 1));
    CHECK(hosts.size() == (field == FlowField::kSourceAddress ? kMostAddresses : 1));
    CHECK(*ports.begin() == 0xc000);
  }
}
