// SPDX-License-Identifier: BSD-3-Clause
#include "lab/idle_paths.hpp"

#include <memory>

#include <catch2/catch.hpp>

using namespace softfeb;

namespace {

using fabric::NodeRef;

NodeRef a_station(std::uint32_t i) { return {NodeRef::Kind::kStation, i}; }
NodeRef switch_number(std::uint32_t i) { return {NodeRef::Kind::kSwitch, i}; }

/// Returns a lab with boards 0 and 1 at switch 0, which is connected to switch 1. The receiver, station 2, is
/// at switch 1. Station 3 has no link.
config::LabConfig two_boards() {
  config::LabConfig c;
  c.network.switches.resize(2);
  c.network.stations.resize(4);
  c.network.links = {{a_station(0), switch_number(0), 1'000, 10, {}, {}, {}},
                     {switch_number(1), switch_number(0), 3'000, 30, {}, {}, {}},
                     {a_station(2), switch_number(1), 4'000, 40, {}, {}, {}},
                     {a_station(1), switch_number(0), 2'000, 20, {}, {}, {}}};
  c.station_of = {0, 1, 2, 3};
  c.run.boards.resize(2);
  c.run.receivers.resize(2);
  for (config::BoardConfig& board : c.run.boards) {
    board.endpoint.ip = *roce::IpAddress::parse("10.0.0.1");
    board.qps.resize(2);
    for (config::QpConfig& qp : board.qps) {
      qp.to = config::ReceiverTarget{{0}};
      qp.count = 2;
    }
    board.qps[0].traffic.arrivals.emplace();
    board.qps[0].pmtu = 2048;
  }
  c.run.boards[1].link_rate = 500;
  return c;
}

}  // namespace

TEST_CASE("paths of queue pairs with random messages", "[lab]") {
  const config::LabConfig c = two_boards();
  endpoints::Plans plans(c.run);
  lab::find_idle_paths(c, plans);
  REQUIRE(plans.all().size() == 8);
  const auto path = plans.all()[0].idle_path;
  REQUIRE(path);
  REQUIRE(path->hops.size() == 3);
  CHECK(path->hops[0].rate == 1'000);
  CHECK(path->hops[1].rate == 3'000);
  CHECK(path->hops[1].delay == 30);
  CHECK(path->hops[2].rate == 4'000);
  CHECK(path->pmtu == 2048);
  CHECK(path->headers == 14 + 20 + 8 + 12 + 4);
  CHECK(path->board_rate == 0);
  CHECK_FALSE(path->immediate);
  CHECK(plans.all()[1].idle_path == path);
  CHECK_FALSE(plans.all()[2].idle_path);
  const auto other = plans.all()[4].idle_path;
  REQUIRE(other);
  CHECK(other->hops[0].rate == 2'000);
  CHECK(other->board_rate == 500);
}

TEST_CASE("without a path there is no slowdown", "[lab]") {
  config::LabConfig c = two_boards();
  for (config::BoardConfig& board : c.run.boards) {
    for (config::QpConfig& qp : board.qps) qp.to = config::ReceiverTarget{{1}};
  }
  endpoints::Plans plans(c.run);
  lab::find_idle_paths(c, plans);
  for (const endpoints::QpPlan& plan : plans.all()) CHECK_FALSE(plan.idle_path);
}
