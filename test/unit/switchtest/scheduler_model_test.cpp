// SPDX-License-Identifier: BSD-3-Clause
// Tests the test `scheduler` on simulated switches whose schedulers are not deficit round robin.
#include "scheduler_figures.hpp"

#include <map>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

constexpr std::uint64_t kGigabit = 125'000'000;

SwitchReport schedule(const fabric::NetworkConfig& network) {
  return test::run_test(network, test::four_ports(), "scheduler");
}

bool hidden_by_limit(const SwitchReport& report, unsigned dscp) {
  const Figure& f = test::of_queue(report, "weights", dscp);
  return f.status == Status::kUnresolvable && f.reason.find("rate limit") != std::string::npos;
}

}  // namespace

TEST_CASE("Weighted round robin by frames", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v6();
  network.switches[0].scheduler.by_packets = true;
  const SwitchReport report = schedule(network);
  CHECK(test::word_of(report, "order") == "56 > 48 > 0, 8, 16, 26");
  test::check_weights(report, {{0, 1}, {8, 2}, {16, 4}, {26, 1}});
  for (const auto& [dscp, share] : std::map<unsigned, double>{{0, 12.5}, {8, 25}, {16, 50}, {26, 12.5}})
    test::check_contains(test::of_queue(report, "share", dscp), share, 0.5);
  CHECK(test::word_of(report, "mode") == "WRR");
  CHECK(test::figure(report, "scheduler", "overhead_bytes").status == Status::kAbsent);
  CHECK(test::figure(report, "scheduler", "shaper_gbps").status == Status::kAbsent);
}

TEST_CASE("Weighted round robin with two unequal weights", "[switchtest]") {
  const std::uint32_t weight = GENERATE(2U, 3U, 7U);
  fabric::NetworkConfig network = test::two_queues(weight);
  network.switches[0].scheduler.by_packets = true;
  const SwitchReport report = schedule(network);
  INFO("weight " << weight);
  test::check_weights(report, {{0, 1}, {26, weight}});
  CHECK(test::word_of(report, "mode") == "WRR");
}

TEST_CASE("Overheads that a scheduler may count", "[switchtest]") {
  const std::uint32_t overhead = GENERATE(0U, 4U, 20U, 40U);
  fabric::NetworkConfig network = test::two_queues(2);
  network.switches[0].scheduler.overhead = overhead;
  const SwitchReport report = schedule(network);
  CHECK(test::word_of(report, "mode") == "DWRR");
  test::check_contains(test::figure(report, "scheduler", "overhead_bytes"), overhead, 2);
}

TEST_CASE("The maximum rate of a queue", "[switchtest]") {
  const std::uint64_t rate = GENERATE(1U, 2U, 6U);
  const std::uint64_t burst = GENERATE(16'384U, 131'072U);
  fabric::NetworkConfig network = test::two_queues(2);
  network.switches[0].queues[3].rates = {.max = rate * kGigabit, .burst = burst};
  const SwitchReport report = schedule(network);
  INFO(rate << " Gb/s, burst " << burst);
  test::check_contains(test::of_queue(report, "shaper_gbps", 26), static_cast<double>(rate), 0.01);
  // According to its weight, the queue would get 6.7 Gb/s, which is more than its limit.
  CHECK(hidden_by_limit(report, 26));
  // The other queue has no limit.
  CHECK(test::test_report(report, "scheduler").figures.back().labels.at("queue") == "26");
}

TEST_CASE("A maximum rate above the share of a queue leaves its weight visible", "[switchtest]") {
  fabric::NetworkConfig network = test::two_queues(2);
  network.switches[0].queues[3].rates = {.max = 9 * kGigabit};
  const SwitchReport report = schedule(network);
  test::check_contains(test::of_queue(report, "shaper_gbps", 26), 9, 0.02);
  test::check_weights(report, {{0, 1}, {26, 2}});
  CHECK(test::word_of(report, "mode") == "DWRR");
}

TEST_CASE("The rate of a port", "[switchtest]") {
  fabric::NetworkConfig network = test::two_queues(3);
  network.switches[0].scheduler.port_rate = 4 * kGigabit;
  network.switches[0].scheduler.by_packets = GENERATE(false, true);
  const SwitchReport report = schedule(network);
  test::check_contains(test::figure(report, "scheduler", "shaper_gbps"), 4, 0.01);
  test::check_weights(report, {{0, 1}, {26, 3}});
  CHECK(test::word_of(report, "mode") == (network.switches[0].scheduler.by_packets ? "WRR" : "DWRR"));
}
