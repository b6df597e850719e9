// SPDX-License-Identifier: BSD-3-Clause
#include "altered_rig.hpp"
#include "run_test.hpp"
#include "switch_sets.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

Figure of_victim(const SwitchReport& report, const char* name, const char* victim_class) {
  return test::figure(report, "victim", name, {{"class", victim_class}});
}

SwitchReport run_victim_on(const fabric::NetworkConfig& network, Effort effort = Effort::kQuick) {
  Settings settings = test::four_ports();
  settings.effort = effort;
  return test::run_test(network, settings, "victim");
}

}  // namespace

TEST_CASE("Pauses hold back a flow to an idle port", "[switchtest]") {
  const SwitchReport report = run_victim_on(test::set_v4(), Effort::kStandard);
  const Figure& same = of_victim(report, "victim_share", "same");
  CHECK(*same.value == Approx(0.62).margin(0.03));
  CHECK(*same.high - *same.low < 0.06);
  const Figure& other = of_victim(report, "victim_share", "other");
  CHECK(*other.value == Approx(1).margin(0.03));
  CHECK(*of_victim(report, "victim_p99_ns", "same").value > 7'710);
  CHECK(*of_victim(report, "victim_p99_ns", "other").value > 7'710);
}

TEST_CASE("A port limit isolates the victim, and shared memory does not", "[switchtest]") {
  fabric::NetworkConfig limited = test::set_v2();
  const SwitchReport isolated = run_victim_on(limited);
  CHECK(*of_victim(isolated, "victim_share", "same").value == Approx(1).margin(0.05));
  CHECK(of_victim(isolated, "victim_share", "other").status == Status::kAbsent);
  // The queue of D takes all memory, so there is none left for frames to E.
  const SwitchReport shared = run_victim_on(test::set_v1());
  CHECK(*of_victim(shared, "victim_share", "same").value < 0.7);
}

TEST_CASE("The victim's share follows from the even share of the congested port", "[switchtest]") {
  for (const std::uint64_t gigabits : {8U, 6U, 4U}) {
    fabric::NetworkConfig network = test::set_v4();
    network.links[3].rate = test::kTenGigabit * gigabits / 10;
    const SwitchReport report = run_victim_on(network);
    INFO(gigabits << " Gb/s");
    CHECK(*of_victim(report, "victim_share", "same").value ==
          Approx(static_cast<double>(gigabits) / 20 / 0.8).margin(0.05));
    CHECK(*of_victim(report, "victim_share", "other").value == Approx(1).margin(0.05));
  }
}

TEST_CASE("RFC 2889 divides the frames of a sender equally", "[switchtest]") {
  const SwitchReport report = run_victim_on(test::set_v4(), Effort::kRfc);
  // A offers D no more than A's fair share of the rate of D's port.
  CHECK(*of_victim(report, "victim_share", "same").value > 0.9);
}

TEST_CASE("Head-of-line blocking needs four ports, an overload and valid trials", "[switchtest]") {
  Settings three;
  three.roles = {.a = 0, .d = 3, .b = 1, .c = 1, .e = 1};
  const SwitchReport report = test::run_test(test::set_v4(), three, "victim");
  CHECK(test::test_report(report, "victim").status == Status::kUnresolvable);
  fabric::NetworkConfig network = test::set_v4();
  network.links[3].rate = 10 * test::kTenGigabit;
  CHECK(test::test_report(run_victim_on(network), "victim").status == Status::kUnresolvable);
  test::AlteredRig rig(test::set_v4());
  rig.alter = [](const Trial& trial, TrialResult& result) {
    if (trial.sources.size() == 6) result.void_reason = "of the test";
  };
  const SwitchReport failed = run_tests(rig, test::four_ports(), {"victim"});
  CHECK(test::test_report(failed, "victim").status == Status::kInconclusive);
}
