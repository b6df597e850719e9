// SPDX-License-Identifier: BSD-3-Clause
#include "multipath_rig.hpp"
#include "run_test.hpp"
#include "switch_sets.hpp"

#include <cmath>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

Settings next_hop_settings(std::vector<std::uint16_t> hops) {
  Settings out = test::four_ports();
  out.effort = Effort::kQuick;
  out.roles.next_hops = std::move(hops);
  return out;
}

Settings fabric_settings() { return next_hop_settings({}); }

SwitchReport run_ecmp_on(test::MultipathRig::Config config, const Settings& settings) {
  test::MultipathRig rig(std::move(config));
  return run_tests(rig, settings, {"ecmp"});
}

Figure spread_figure(const SwitchReport& report, const char* name, const std::string& field) {
  return test::figure(report, "ecmp", name, {{"field", field}});
}

void check_used(const SwitchReport& report, const std::string& field, bool used) {
  const Figure& mmr = spread_figure(report, "mmr", field);
  INFO(field);
  CHECK(mmr.status == (used ? Status::kMeasured : Status::kAbsent));
  if (!used) return;
  CHECK(*mmr.value > 1);
  CHECK(*spread_figure(report, "jain", field).value > 0.9);
}

}  // namespace

TEST_CASE("Switches without several paths have no ECMP", "[switchtest]") {
  const auto network = GENERATE(test::set_v1(), test::set_v2(), test::set_v3(), test::set_v4(),
                                test::set_v5(), test::set_v6(), test::set_v7());
  const SwitchReport report = test::run_test(network, fabric_settings(), "ecmp");
  for (const char* name : {"fields", "mmr", "jain", "p_value", "per_packet"})
    CHECK(test::figure(report, "ecmp", name).status == Status::kAbsent);
  CHECK(test::test_report(report, "ecmp").status == Status::kMeasured);
}

TEST_CASE("The fields of a hash over next hops, and its spread", "[switchtest]") {
  const auto [port, qp, source] = GENERATE(table<bool, bool, bool>(
      {{true, false, false}, {true, false, true}, {false, true, false}, {true, true, true}}));
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  Settings settings = next_hop_settings({1, 2, 3});
  settings.effort = Effort::kStandard;
  const SwitchReport report = run_ecmp_on(
      {.paths = 3, .next_hops = {1, 2, 3}, .hash = test::hash_of(port, qp, source, seed)}, settings);
  check_used(report, "udp_source_port", port);
  check_used(report, "dest_qp", qp);
  check_used(report, "source_address", source);
  CHECK(test::figure(report, "ecmp", "paths").value == 3.0);
  CHECK(test::figure(report, "ecmp", "per_packet").value == 0.0);
  std::string fields;
  for (const auto& [name, used] :
       {std::pair{"udp_source_port", port}, std::pair{"dest_qp", qp}, std::pair{"source_address", source}})
    if (used) fields += (fields.empty() ? "" : ", ") + std::string(name);
  CHECK(test::figure(report, "ecmp", "fields").text == fields);
  if (!port) return;
  // 1,024 flows with an ideal hash: the p-value of the chi-square test must not be extremely small.
  CHECK(*spread_figure(report, "p_value", "udp_source_port").value > 0.001);
  const Figure& ideal = spread_figure(report, "ideal_mmr", "udp_source_port");
  CHECK(*ideal.low < *ideal.value);
  CHECK(*spread_figure(report, "mmr", "udp_source_port").value < *ideal.high + 0.05);
}

TEST_CASE("The counts of next hops are exact", "[switchtest]") {
  // Among 256 consecutive port numbers, 64 are divisible by 4.
  const SwitchReport report = run_ecmp_on(
      {.paths = 2,
       .next_hops = {1, 2},
       .hash = [](const FrameKind& k, Rng&) -> std::uint64_t { return k.udp_source_port % 4 == 0 ? 0 : 1; }},
      next_hop_settings({1, 2}));
  CHECK(spread_figure(report, "mmr", "udp_source_port").value == 1.5);
  CHECK(*spread_figure(report, "jain", "udp_source_port").value == Approx(1 / (2 * (0.0625 + 0.5625))));
  CHECK(*spread_figure(report, "p_value", "udp_source_port").value < 1e-12);
  CHECK(*spread_figure(report, "mmr", "udp_source_port").value >
        *spread_figure(report, "ideal_mmr", "udp_source_port").high);
}

TEST_CASE("Next hops to which frames are sprayed", "[switchtest]") {
  const SwitchReport report = run_ecmp_on(
      {.paths = 3, .next_hops = {1, 2, 3}, .hash = [](const FrameKind&, Rng& rng) { return rng.next(); }},
      next_hop_settings({1, 2, 3}));
  CHECK(*test::figure(report, "ecmp", "per_packet").value > 0.99);
  CHECK(test::figure(report, "ecmp", "fields").status == Status::kAbsent);
  CHECK(*spread_figure(report, "mmr", "none").value < 1.1);
}

TEST_CASE("Next hops of which only one is used", "[switchtest]") {
  const SwitchReport report =
      run_ecmp_on({.paths = 3, .next_hops = {1, 2, 3}, .hash = [](const FrameKind&, Rng&) { return 1; }},
                  next_hop_settings({1, 2, 3}));
  CHECK(test::figure(report, "ecmp", "fields").status == Status::kAbsent);
}

TEST_CASE("Next hops that get no frames", "[switchtest]") {
  const SwitchReport report =
      run_ecmp_on({.paths = 2, .next_hops = {1, 2}, .hash = test::hash_of(true, true, true, 1)},
                  next_hop_settings({2, 3}));
  const TestReport& ecmp = test::test_report(report, "ecmp");
  CHECK(ecmp.status == Status::kUnresolvable);
  CHECK(ecmp.reason.find("arrived at a next hop") != std::string::npos);
}

TEST_CASE("Paths inside a fabric, learnt from loss and delay", "[switchtest]") {
  const auto [paths, memory, path_rate] =
      GENERATE(table<std::size_t, std::uint64_t, std::uint64_t>({{2, 1 << 20, 1'250'000'000},
                                                                 {4, 16 << 20, 1'250'000'000},
                                                                 {4, 32'000, 1'250'000'000},
                                                                 {8, 1 << 20, 1'875'000'000},
                                                                 {3, 256 << 10, 625'000'000}}));
  const std::uint64_t seed = GENERATE(1U, 2U);
  const SwitchReport report = run_ecmp_on({.path_rate = path_rate,
                                           .paths = paths,
                                           .memory = memory,
                                           .hash = test::hash_of(true, false, true, seed)},
                                          fabric_settings());
  INFO(test::test_report(report, "ecmp").reason);
  CHECK(test::figure(report, "ecmp", "paths").value == static_cast<double>(paths));
  CHECK(test::figure(report, "ecmp", "fields").text == "udp_source_port, source_address");
  CHECK(test::figure(report, "ecmp", "per_packet").value == 0.0);
  check_used(report, "dest_qp", false);
  CHECK(*spread_figure(report, "p_value", "udp_source_port").value > 1e-4);
}

TEST_CASE("The spread inside a fabric is exact", "[switchtest]") {
  // This hash uses the last two bits of the port number, and therefore spreads flows worse than chance.
  Settings settings = fabric_settings();
  settings.effort = Effort::kStandard;
  const SwitchReport report = run_ecmp_on(
      {.paths = 2,
       .hash = [](const FrameKind& k, Rng&) -> std::uint64_t { return k.udp_source_port % 4 == 0 ? 0 : 1; }},
      settings);
  CHECK(spread_figure(report, "mmr", "udp_source_port").value == 1.5);
  CHECK(*spread_figure(report, "p_value", "udp_source_port").value < 1e-9);
}

TEST_CASE("A fabric with one narrow path has no ECMP", "[switchtest]") {
  const SwitchReport report =
      run_ecmp_on({.paths = 1, .hash = test::hash_of(true, true, true, 1)}, fabric_settings());
  const Figure& fields = test::figure(report, "ecmp", "fields");
  CHECK(fields.status == Status::kAbsent);
  CHECK(fields.reason == "all flows take the same path");
}

TEST_CASE("A fabric that sprays frames", "[switchtest]") {
  const SwitchReport report = run_ecmp_on(
      {.paths = 3, .hash = [](const FrameKind&, Rng& rng) { return rng.next(); }}, fabric_settings());
  CHECK(test::figure(report, "ecmp", "per_packet").value == 1.0);
  CHECK(test::figure(report, "ecmp", "fields").status == Status::kAbsent);
  CHECK(test::figure(report, "ecmp", "mmr").status == Status::kUnresolvable);
}

TEST_CASE("A fabric cannot be tested with too few ports or a rig that fails", "[switchtest]") {
  Settings settings = fabric_settings();
  SECTION("ports") {
    settings.roles.e.reset();
    const SwitchReport report = test::run_test(test::set_v1(), settings, "ecmp");
    CHECK(test::test_report(report, "ecmp").status == Status::kUnresolvable);
  }
  SECTION("void") {
    const SwitchReport report =
        run_ecmp_on({.hash = test::hash_of(true, true, true, 1), .void_trials = 1000}, settings);
    CHECK(test::test_report(report, "ecmp").status == Status::kInconclusive);
  }
}
