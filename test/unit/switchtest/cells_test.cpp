// SPDX-License-Identifier: BSD-3-Clause
#include "altered_rig.hpp"
#include "base/rng.hpp"
#include "random_switch.hpp"
#include "run_test.hpp"
#include "score.hpp"
#include "switch_sets.hpp"
#include "switchtest/cell_fit.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

SwitchReport cells_of(const fabric::NetworkConfig& network) {
  return test::run_test(network, test::four_ports(), "cells");
}

void set_cells(fabric::NetworkConfig& network, std::uint32_t cell, std::uint32_t overhead) {
  network.switches[0].memory.cell = cell;
  network.switches[0].memory.cell_overhead = overhead;
}

/// Checks that both figures have exactly these values.
void check_cells(const SwitchReport& report, double cell, double overhead) {
  const Figure& found = test::figure(report, "cells", "cell_bytes");
  CHECK(found.status == Status::kMeasured);
  CHECK(found.value == cell);
  CHECK(found.low == cell);
  CHECK(found.high == cell);
  CHECK(test::figure(report, "cells", "overhead_bytes").value == overhead);
}

/// Computes how many frames of each length a queue holds.
std::vector<CellPoint> staircase(double queue, double fraction, std::uint32_t cell, std::uint32_t overhead,
                                 std::uint32_t step) {
  std::vector<CellPoint> out;
  for (std::uint32_t length = 1002; length <= 1302; length += step) {
    const auto n = static_cast<std::uint64_t>(queue / cell_bytes_of(length, cell, overhead) + fraction);
    out.push_back({length, n, n});
  }
  return out;
}

}  // namespace

TEST_CASE("The sets have no cells", "[switchtest]") {
  const auto network = GENERATE(test::set_v1(), test::set_v2(), test::set_v3(), test::set_v4(),
                                test::set_v5(), test::set_v6(), test::set_v7());
  const SwitchReport report = cells_of(network);
  const Figure& cell = test::figure(report, "cells", "cell_bytes");
  CHECK(cell.status == Status::kMeasured);
  CHECK(cell.value == 1);
  CHECK(cell.low == 1);
  // The lengths of RoCE frames differ by multiples of 4 bytes.
  CHECK(*cell.high <= 4);
  const Figure& overhead = test::figure(report, "cells", "overhead_bytes");
  CHECK(overhead.low == 0);
  CHECK(*overhead.high <= 4);
  const auto& curves = test::test_report(report, "cells").curves;
  REQUIRE(curves.size() == 2);
  CHECK(curves[0].points.size() == 76);
}

TEST_CASE("Cells are found to the byte", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  const auto [cell, overhead] = GENERATE(table<std::uint32_t, std::uint32_t>(
      {{16, 3}, {80, 0}, {96, 20}, {208, 16}, {208, 300}, {256, 4}, {1000, 8}}));
  set_cells(network, cell, overhead);
  check_cells(cells_of(network), cell, overhead);
  CHECK(test::figure(cells_of(network), "cells", "overhead_bytes").high == overhead);
}

TEST_CASE("Overhead without cells is found", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  set_cells(network, 1, 18);
  const SwitchReport report = cells_of(network);
  CHECK(test::figure(report, "cells", "cell_bytes").value == 1);
  const Figure& overhead = test::figure(report, "cells", "overhead_bytes");
  CHECK(*overhead.low <= 18);
  CHECK(*overhead.high >= 18);
  CHECK(*overhead.high - *overhead.low <= 4);
}

TEST_CASE("Cells are found behind every limit", "[switchtest]") {
  fabric::NetworkConfig network = GENERATE(test::set_v2(), test::set_v3(), test::set_v4(), test::set_v5());
  set_cells(network, 208, 16);
  SECTION("as it is") {}
  SECTION("a minimum of the queue") {
    for (auto& queue : network.switches[0].queues) queue.minimum = 30'000;
  }
  SECTION("a MAC that takes frames") { network.switches[0].memory.mac_leak = 12'000; }
  SECTION("all classes have headroom") {
    for (auto& queue : network.switches[0].queues) queue.lossless = true;
    network.switches[0].pause.headroom = 40'000;
  }
  check_cells(cells_of(network), 208, 16);
}

TEST_CASE("A large memory needs long frames, which have few steps", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  network.switches[0].buffer = 16 * test::kMiB;
  set_cells(network, 384, 8);
  check_cells(cells_of(network), 384, 8);
}

TEST_CASE("Without pauses, an overload shows cells", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  network.links[3].flow_control = fabric::PauseMode::kOff;
  network.switches[0].buffer = test::kMiB / 4;
  set_cells(network, 96, 4);
  check_cells(cells_of(network), 96, 4);
  Settings two;
  network.stations.resize(2);
  network.links = {network.links[0], network.links[3]};
  network.links[1].a.index = 1;
  CHECK(test::test_report(test::run_test(network, two, "cells"), "cells").status == Status::kUnresolvable);
  network.links[1].flow_control = fabric::PauseMode::kPause;
  check_cells(test::run_test(network, two, "cells"), 96, 4);
}

TEST_CASE("Cells that hold every frame are only bounded", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  set_cells(network, 10'240, 0);
  const SwitchReport report = cells_of(network);
  const Figure& cell = test::figure(report, "cells", "cell_bytes");
  CHECK(cell.status == Status::kBounded);
  CHECK(*cell.low >= 4170);
  CHECK(*cell.low <= 10'240);
  CHECK_FALSE(cell.high);
  CHECK(test::figure(report, "cells", "overhead_bytes").status == Status::kUnresolvable);
}

TEST_CASE("A memory of few frames does not show its cells", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  network.switches[0].buffer = 12 * test::kKiB;
  set_cells(network, 64, 0);
  const SwitchReport few = cells_of(network);
  CHECK(test::test_report(few, "cells").status == Status::kUnresolvable);
  // The interval must contain the truth for every limit.
  test::Score sum;
  for (std::uint64_t kilobytes = 20; kilobytes < 100; kilobytes += 7) {
    network.switches[0].buffer = kilobytes * 1000;
    const SwitchReport report = cells_of(network);
    sum.add(test::score(report, test::truths_of(network, test::four_ports())));
  }
  CHECK(sum.values == sum.covered);
  CHECK(sum.wrong_class == 0);
}

TEST_CASE("Cells of random switches are measured correctly", "[switchtest][long]") {
  const Settings settings = test::four_ports();
  test::Score sum;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U}) {
    Rng random(Rng::mixed(seed, 0x63, 0));
    fabric::NetworkConfig network = test::random_switch(seed);
    if (random.below(4) != 0)
      set_cells(network, 16 + static_cast<std::uint32_t>(random.below(500)),
                static_cast<std::uint32_t>(random.below(64)));
    const SwitchReport report = test::run_test(network, settings, "cells");
    const test::Score one = test::score(report, test::truths_of(network, settings));
    for (const std::string& complaint : one.complaints) UNSCOPED_INFO("seed " << seed << ": " << complaint);
    sum.add(one);
  }
  INFO(sum.values << " values, " << sum.silent << " silent");
  CHECK(sum.values == sum.covered);
  CHECK(sum.wrong_class == 0);
  CHECK(sum.values >= 10);
}

TEST_CASE("Counts that vary by a frame still show cells, and void trials give none", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  set_cells(network, 208, 16);
  test::AlteredRig rig(network);
  rig.as = RigKind::kPorts;
  unsigned n = 0;
  rig.alter = [&](const Trial&, TrialResult& result) {
    for (KindStats& k : result.kinds)
      if (k.arrived > 200 && ++n % 3 == 0) --k.arrived;
  };
  Settings settings = test::four_ports();
  settings.effort = Effort::kQuick;
  const SwitchReport report = run_tests(rig, settings, {"cells"});
  const Figure& cell = test::figure(report, "cells", "cell_bytes");
  CHECK(*cell.low <= 208);
  CHECK(*cell.high >= 208);
  CHECK(*cell.high - *cell.low <= 4);
  rig.alter = [](const Trial& trial, TrialResult& result) {
    if (trial.freezes.size() == 1 && trial.sources.size() == 2) result.void_reason = "a sender was late";
  };
  CHECK(test::test_report(run_tests(rig, settings, {"cells"}), "cells").status == Status::kInconclusive);
}

TEST_CASE("A fit finds all cells that explain the counts", "[switchtest]") {
  const auto exact = fit_cells(staircase(1e6, 0, 208, 16, 1));
  REQUIRE(exact);
  CHECK(exact->cell == 208);
  CHECK(exact->cell_low == 208);
  CHECK(exact->cell_high == 208);
  CHECK(exact->overhead == 16);
  CHECK(exact->frames(1100) == Approx(1e6 / 1248).epsilon(1e-3));
  // If frame lengths are tried only in steps of four bytes, the result is a range, which must contain the
  // true values.
  const auto coarse = fit_cells(staircase(1e6, 0.5, 208, 16, 4));
  REQUIRE(coarse);
  CHECK(coarse->cell_low <= 208);
  CHECK(coarse->cell_high >= 208);
  CHECK(coarse->overhead_low <= 16);
  CHECK(coarse->overhead_high >= 16);
  // With a dynamic threshold, the queue holds a fraction of a frame more.
  const auto dynamic = fit_cells(staircase(1e6, 0.9, 1, 0, 1));
  REQUIRE(dynamic);
  CHECK(dynamic->cell == 1);
  CHECK(dynamic->overhead == 0);
  CHECK(dynamic->fraction > 0.5);
  const auto one_cell = fit_cells(staircase(1e6, 0, 2000, 0, 4));
  REQUIRE(one_cell);
  CHECK(one_cell->unlimited);
  CHECK_FALSE(fit_cells({}));
  // A queue cannot hold more long frames than short ones.
  CHECK_FALSE(fit_cells({{1000, 100, 100}, {1100, 120, 120}}));
}
