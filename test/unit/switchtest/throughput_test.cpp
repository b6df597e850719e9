// SPDX-License-Identifier: BSD-3-Clause
#include "run_test.hpp"
#include "switch_sets.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

TEST_CASE("A plain switch forwards line rate", "[switchtest]") {
  Settings settings = test::four_ports();
  settings.effort = Effort::kQuick;
  settings.sizes = {78, 4174};
  const SwitchReport report = test::run_test(test::set_v1(), settings, "throughput");
  for (const char* size : {"78", "4174"})
    for (const char* direction : {"one", "both"}) {
      const Figure& load =
          test::figure(report, "throughput", "load", {{"size", size}, {"direction", direction}});
      CHECK(load.value == 1.0);
      CHECK(load.low == 1.0);
      CHECK(load.high == 1.0);
      CHECK(load.status == Status::kMeasured);
    }
  const Figure& pps = test::figure(report, "throughput", "pps", {{"size", "78"}, {"direction", "one"}});
  CHECK(*pps.value == Approx(1.25e9 / 98));
}

TEST_CASE("The receiver's rate limits the throughput of faster senders", "[switchtest]") {
  Settings settings = test::four_ports();
  settings.effort = Effort::kQuick;
  settings.sizes = {1026};
  const SwitchReport report = test::run_test(test::set_v7(), settings, "throughput");
  const Figure& gbps = test::figure(report, "throughput", "gbps", {{"size", "1026"}, {"direction", "one"}});
  CHECK(*gbps.value == Approx(10.0 * 1026 / 1046));
}

TEST_CASE("A link that loses frames at any load has a loss floor and no throughput", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  network.links[0].a_to_b.drop = (std::uint64_t{1} << 32) / 10;
  Settings settings = test::four_ports();
  settings.sizes = {1026};
  const SwitchReport report = test::run_test(network, settings, "throughput");
  const Figure& floor =
      test::figure(report, "throughput", "loss_floor", {{"size", "1026"}, {"direction", "one"}});
  CHECK(*floor.low < 0.1);
  CHECK(*floor.high > 0.1);
  CHECK_FALSE(test::has_figure(report, "throughput", "load"));
}
