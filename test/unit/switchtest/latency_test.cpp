// SPDX-License-Identifier: BSD-3-Clause
#include "altered_rig.hpp"
#include "base/rng.hpp"
#include "fabric/wire_time.hpp"
#include "switch_sets.hpp"

#include <algorithm>
#include <array>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

test::Labels latency_labels(const char* size, const char* load) { return {{"size", size}, {"load", load}}; }

Figure latency_figure(const SwitchReport& report, const char* name, const char* size, const char* load) {
  return test::figure(report, "latency", name, latency_labels(size, load));
}

/// Returns the delay in nanoseconds over two links and a store-and-forward switch.
double stored_ns(const fabric::NetworkConfig& network, std::uint32_t size) {
  const double bytes = static_cast<double>(fabric::wire_bytes(size - kFcsSize));
  const auto& in = network.links[0];
  const auto& out = network.links[3];
  const auto pipeline = network.switches[0].times.pipeline;
  return bytes * 1e9 / static_cast<double>(in.rate) + bytes * 1e9 / static_cast<double>(out.rate) +
         static_cast<double>(in.delay + out.delay + pipeline) / kNanosecond;
}

/// Checks all figures of a store-and-forward switch without jitter.
void check_stored(const fabric::NetworkConfig& network, const SwitchReport& report) {
  for (const std::uint32_t size : report.settings.sizes)
    for (const char* load : {"10", "50", "90", "100"})
      for (const char* name : {"min_ns", "mean_ns", "p50_ns", "p95_ns", "p99_ns", "p999_ns", "max_ns"}) {
        INFO(name << " at size " << size << ", load " << load);
        const Figure& f = latency_figure(report, name, std::to_string(size).c_str(), load);
        CHECK(f.value.value() == Approx(stored_ns(network, size)).margin(0.01));
        CHECK(f.unit == "ns");
      }
  const double fixed = static_cast<double>(network.links[0].delay + network.links[3].delay +
                                           network.switches[0].times.pipeline) /
                       kNanosecond;
  CHECK(test::figure(report, "latency", "fixed_ns").value.value() == Approx(fixed).margin(0.02));
  CHECK(test::figure(report, "latency", "serializations").value.value() == Approx(2).margin(1e-4));
  CHECK(test::figure(report, "latency", "forwarding").text == "store-and-forward");
}

Settings latency_settings(std::vector<std::uint32_t> sizes) {
  Settings out = test::four_ports();
  out.effort = Effort::kQuick;
  out.sizes = std::move(sizes);
  return out;
}

}  // namespace

TEST_CASE("A plain switch delays frames by its links", "[switchtest]") {
  const auto network = test::set_v1();
  const SwitchReport report = test::run_test(network, test::four_ports(), "latency");
  check_stored(network, report);
  const Figure& p99 = latency_figure(report, "p99_ns", "4174", "100");
  CHECK(*p99.value == Approx(7710.4).margin(1e-6));
  CHECK(p99.low == p99.value);
  CHECK(p99.high == p99.value);
  CHECK(latency_figure(report, "ipdv_ns", "78", "90").value.value() < 0.01);
  CHECK(test::figure(report, "latency", "fixed_ns").value.value() == Approx(1000).margin(0.01));
  CHECK(test::test_report(report, "latency").curves.size() == 16);
}

TEST_CASE("Latencies of all sets are those of their links", "[switchtest]") {
  for (const auto& network :
       {test::set_v2(), test::set_v3(), test::set_v4(), test::set_v5(), test::set_v6(), test::set_v7()})
    check_stored(network, test::run_test(network, latency_settings({78, 1026, 4174}), "latency"));
  const SwitchReport faster = test::run_test(test::set_v7(), latency_settings({4174}), "latency");
  CHECK(latency_figure(faster, "p99_ns", "4174", "100").value.value() == Approx(5697.3).margin(0.05));
}

TEST_CASE("Random links and pipelines are measured", "[switchtest]") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Rng rng(seed);
    fabric::NetworkConfig network = test::set_v1();
    for (const std::size_t i : {0, 3}) {
      network.links[i].rate = test::kTenGigabit * (1 + rng.below(100)) / 10;
      network.links[i].delay = rng.below(10'000) * kNanosecond;
    }
    network.switches[0].times.pipeline = rng.below(5'000) * kNanosecond;
    INFO("seed " << seed);
    check_stored(network, test::run_test(network, latency_settings({130, 1518, 4174}), "latency"));
  }
}

TEST_CASE("Cut-through is distinguished from store-and-forward", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  network.switches[0].times.cut_through = true;
  network.switches[0].times.pipeline = 300 * kNanosecond;
  const SwitchReport equal = test::run_test(network, latency_settings({78, 1026, 4174}), "latency");
  CHECK(test::figure(equal, "latency", "serializations").value.value() == Approx(1).margin(1e-4));
  CHECK(test::figure(equal, "latency", "forwarding").text == "cut-through");
  // The fixed delay consists of two links, the pipeline, and a header of 64 bytes.
  CHECK(test::figure(equal, "latency", "fixed_ns").value.value() == Approx(1351.2).margin(0.1));
  for (std::size_t i = 0; i < 3; ++i) network.links[i].rate = test::kTenGigabit * 5 / 2;
  const SwitchReport faster = test::run_test(network, latency_settings({78, 1026, 4174}), "latency");
  CHECK(test::figure(faster, "latency", "forwarding").text == "cut-through");
  // A switch cannot forward in cut-through mode to a faster port.
  for (std::size_t i = 0; i < 3; ++i) network.links[i].rate = test::kTenGigabit / 5;
  const SwitchReport slower = test::run_test(network, latency_settings({78, 1026, 4174}), "latency");
  CHECK(test::figure(slower, "latency", "forwarding").text == "store-and-forward");
}

TEST_CASE("Jitter shows in the quantiles", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  network.links[3].b_to_a.reorder = (std::uint64_t{1} << 32) / 20;  // on the link from the switch to D
  const SwitchReport report = test::run_test(network, latency_settings({1026}), "latency");
  const double usual = stored_ns(network, 1026);
  CHECK(latency_figure(report, "min_ns", "1026", "10").value.value() == Approx(usual).margin(0.01));
  CHECK(latency_figure(report, "p50_ns", "1026", "10").value.value() == Approx(usual).epsilon(0.016));
  // 5 % of the frames are late, by up to 10 µs. The latest 1 % of all frames are late by more than 8 µs.
  const Figure& p99 = latency_figure(report, "p99_ns", "1026", "10");
  CHECK(*p99.value > usual + 6'000);
  CHECK(*p99.low < *p99.high);
  CHECK(latency_figure(report, "max_ns", "1026", "10").value.value() < usual + 10'001);
  CHECK(latency_figure(report, "ipdv_ns", "1026", "10").value.value() > 8'000);
  CHECK(test::figure(report, "latency", "forwarding").status == Status::kUnresolvable);
}

TEST_CASE("The load is what the switch forwards", "[switchtest]") {
  // The bottleneck is a second switch behind the first; D's link is faster.
  fabric::NetworkConfig network = test::set_v1();
  network.switches.push_back(network.switches[0]);
  network.switches[1].name = "slow";
  network.links[3].b = {fabric::NodeRef::Kind::kSwitch, 1};
  network.links.push_back({.a = {fabric::NodeRef::Kind::kSwitch, 0},
                           .b = {fabric::NodeRef::Kind::kSwitch, 1},
                           .rate = test::kTenGigabit * 4 / 5,
                           .delay = 0});
  const SwitchReport report = test::run_test(network, latency_settings({1026, 4174}), "latency");
  for (const char* load : {"10", "50", "90", "100"}) {
    // Not even the largest load makes frames wait, because it equals the rate of the bottleneck.
    CHECK(latency_figure(report, "max_ns", "1026", load).value.value() ==
          Approx(1046 * (1.6 + 1) + 1000).margin(1046));
    CHECK(latency_figure(report, "max_ns", "1026", load).reason.empty());
  }
  CHECK(test::figure(report, "latency", "forwarding").status == Status::kUnresolvable);
  CHECK(test::figure(report, "latency", "serializations").value.value() == Approx(3.25).margin(0.01));
}

TEST_CASE("The delay of the rig itself is subtracted", "[switchtest][long]") {
  test::AlteredRig rig(test::set_v1());
  rig.as = RigKind::kRings;
  rig.own = 300 * kNanosecond;
  const SwitchReport report = run_tests(rig, latency_settings({1026, 4174}), {"latency"});
  CHECK(latency_figure(report, "p99_ns", "4174", "50").value.value() == Approx(7410.4).margin(0.01));
  CHECK(test::figure(report, "latency", "fixed_ns").value.value() == Approx(700).margin(0.1));
  // The variation is a difference between delays, so the delay of the rig cancels out.
  CHECK(latency_figure(report, "ipdv_ns", "4174", "50").value.value() == Approx(0).margin(0.01));
  rig.own.reset();
  const SwitchReport unknown = run_tests(rig, latency_settings({1026, 4174}), {"latency"});
  CHECK(latency_figure(unknown, "min_ns", "4174", "50").status == Status::kUnresolvable);
  CHECK_FALSE(latency_figure(unknown, "min_ns", "4174", "50").value);
  CHECK(latency_figure(unknown, "p99_over_min_ns", "4174", "50").value.value() == Approx(0).margin(0.01));
  CHECK_FALSE(test::has_figure(unknown, "latency", "p99_ns"));
  CHECK(test::figure(unknown, "latency", "fixed_ns").status == Status::kUnresolvable);
  CHECK(test::figure(unknown, "latency", "forwarding").text == "store-and-forward");
}

TEST_CASE("Latencies need valid trials and frames that arrive", "[switchtest]") {
  test::AlteredRig rig(test::set_v1());
  rig.as = RigKind::kRings;
  rig.alter = [](const Trial& trial, TrialResult& result) {
    if (trial.freezes.empty()) result.void_reason = "imissed";
  };
  const SwitchReport late = run_tests(rig, latency_settings({4174}), {"latency"});
  CHECK(test::test_report(late, "latency").status == Status::kInconclusive);
  fabric::NetworkConfig network = test::set_v1();
  network.links[0].a_to_b.drop = std::uint64_t{1} << 32;
  const SwitchReport lost = test::run_test(network, latency_settings({4174}), "latency");
  CHECK(latency_figure(lost, "p99_ns", "4174", "50").status == Status::kUnresolvable);
  CHECK(latency_figure(lost, "p99_ns", "4174", "50").reason == "all frames were lost");
}

TEST_CASE("Delays of a lossy path are those of the frames that arrive", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  network.links[0].a_to_b.drop = (std::uint64_t{1} << 32) / 10;
  const SwitchReport report = test::run_test(network, latency_settings({4174}), "latency");
  const Figure& p99 = latency_figure(report, "p99_ns", "4174", "100");
  CHECK(*p99.value == Approx(7710.4).margin(0.01));
  CHECK(p99.reason.find("frames were lost") != std::string::npos);
}
