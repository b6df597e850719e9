// SPDX-License-Identifier: BSD-3-Clause
#include "altered_rig.hpp"
#include "base/rng.hpp"
#include "closed_forms.hpp"
#include "random_switch.hpp"
#include "run_test.hpp"
#include "score.hpp"
#include "switch_sets.hpp"
#include "switchtest/runner.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

Settings with_cable(const fabric::NetworkConfig& network) {
  Settings out = test::four_ports();
  out.cable = network.links[3].delay;
  return out;
}

SwitchReport obedience_of(const fabric::NetworkConfig& network) {
  return test::run_test(network, with_cable(network), "obedience");
}

SwitchReport obedience_of(Rig& rig, const Settings& settings) {
  return run_tests(rig, settings, {"obedience"});
}

Figure obedience_figure(const SwitchReport& report, const char* name) {
  return test::figure(report, "obedience", name);
}

}  // namespace

TEST_CASE("Long links do not look like a slow response", "[switchtest]") {
  const SwitchReport report = obedience_of(test::set_v5());
  const Figure& response = obedience_figure(report, "response_ns");
  CHECK(*response.low == 0);
  CHECK(*response.high < 1);
  CHECK(response.status == Status::kMeasured);
  const Figure& quantum = obedience_figure(report, "ns_per_quantum");
  CHECK(*quantum.value == Approx(51.2).margin(0.001));
  CHECK(*quantum.low <= 51.2);
  CHECK(*quantum.high >= 51.2);
  CHECK(obedience_figure(report, "resumes").text == "yes");
  CHECK(obedience_figure(report, "within_annex_31b").text == "yes");
  CHECK(*obedience_figure(report, "annex_31b_ns").value == Approx(3072));
  CHECK(obedience_figure(report, "other_classes_disturbed").status == Status::kAbsent);
}

TEST_CASE("PFC pauses do not disturb other classes", "[switchtest]") {
  for (const auto& network : {test::set_v4(), test::set_v6()}) {
    fabric::NetworkConfig pfc = network;
    for (auto& link : pfc.links) link.flow_control = fabric::PauseMode::kPfc;
    const SwitchReport report = obedience_of(pfc);
    CHECK(obedience_figure(report, "other_classes_disturbed").text == "none");
    CHECK(*obedience_figure(report, "ns_per_quantum").value == Approx(51.2).margin(0.001));
  }
}

TEST_CASE("A slow response is measured at every rate", "[switchtest]") {
  const std::uint64_t gigabits = GENERATE(1, 10, 25, 40, 100);
  const Time response = GENERATE(0, 700 * kNanosecond, 5 * kMicrosecond);
  fabric::NetworkConfig network = test::set_v1();
  network.switches[0].times.pause_response = response;
  for (auto& link : network.links) link.rate = gigabits * 125'000'000;
  Settings settings = with_cable(network);
  settings.effort = Effort::kQuick;
  const SwitchReport report = test::run_test(network, settings, "obedience");
  const Figure& found = obedience_figure(report, "response_ns");
  const double truth = static_cast<double>(response) / kNanosecond;
  CHECK(*found.low <= truth);
  CHECK(*found.high >= truth);
  CHECK(*found.high - *found.low < 2'500.0 / static_cast<double>(gigabits));
  CHECK(*obedience_figure(report, "ns_per_quantum").value == Approx(512.0 / static_cast<double>(gigabits)));
  if (gigabits == 1) {
    CHECK(obedience_figure(report, "within_annex_31b").status == Status::kUnresolvable);
  } else {
    const bool within = truth < *obedience_figure(report, "annex_31b_ns").value;
    CHECK(obedience_figure(report, "within_annex_31b").text == (within ? "yes" : "no"));
  }
}

TEST_CASE("Without the cable, the response is only bounded", "[switchtest]") {
  const fabric::NetworkConfig network = test::set_v5();
  const SwitchReport report = test::run_test(network, test::four_ports(), "obedience");
  const Figure& found = obedience_figure(report, "response_ns");
  CHECK(found.status == Status::kBounded);
  CHECK_FALSE(found.low);
  CHECK(*found.high == Approx(8000).margin(1));
  CHECK(obedience_figure(report, "within_annex_31b").status == Status::kUnresolvable);
  Settings wrong = with_cable(network);
  wrong.cable = 5 * kMicrosecond;
  const SwitchReport refused = test::run_test(network, wrong, "obedience");
  CHECK(obedience_figure(refused, "response_ns").status == Status::kUnresolvable);
  CHECK(obedience_figure(refused, "response_ns").reason.find("switch_test.cable") != std::string::npos);
}

TEST_CASE("The longest response of a switch that varies counts", "[switchtest]") {
  const fabric::NetworkConfig network = test::set_v1();
  test::AlteredRig rig(network);
  Rng rng(1);
  constexpr Time kMost = 10 * kMicrosecond;
  // Pretend that the pause frame left earlier, so that the switch seems to obey later.
  rig.alter = [&](const Trial&, TrialResult& result) {
    const Time earlier = rng.below(kMost);
    for (PauseSent& p : result.sent_pauses)
      if (p.control.quanta[0] == 100) p.departed -= earlier;
  };
  const SwitchReport report = obedience_of(rig, with_cable(network));
  const Figure& found = obedience_figure(report, "response_ns");
  CHECK(*found.low > 7'000);
  CHECK(*found.low < 10'000);
  CHECK(*found.high > 9'000);
  CHECK(*found.high < 14'000);  // 10 us, plus the time of one frame
}

TEST_CASE("Other classes that fall silent with a paused one are found", "[switchtest]") {
  const fabric::NetworkConfig network = test::set_v4();
  test::AlteredRig rig(network);
  // Imitate a switch for which a pause of any class also pauses class 6.
  rig.change = [](Trial& trial) {
    for (PauseFrame& p : trial.pauses) {
      p.control.enabled |= 1U << 6;
      p.control.quanta[6] = *std::max_element(p.control.quanta.begin(), p.control.quanta.end());
    }
  };
  rig.alter = [](const Trial& trial, TrialResult& result) {
    if (trial.pauses.empty()) return;
    for (PauseSent& p : result.sent_pauses)
      for (const PauseFrame& asked : trial.pauses)
        if (p.control.quanta[6] == asked.control.quanta[3] && p.control.quanta[6] != 0xffff)
          p.control = asked.control;
  };
  const SwitchReport report = obedience_of(rig, with_cable(network));
  CHECK(obedience_figure(report, "other_classes_disturbed").text == "6");
}

TEST_CASE("A switch that lets pauses lapse does not resume", "[switchtest]") {
  const fabric::NetworkConfig network = test::set_v1();
  test::AlteredRig rig(network);
  rig.change = [](Trial& trial) {
    std::erase_if(trial.pauses, [](const PauseFrame& p) { return p.control.quanta[0] == 0; });
  };
  const SwitchReport report = obedience_of(rig, with_cable(network));
  CHECK(obedience_figure(report, "resumes").text == "no");
}

TEST_CASE("A switch that obeys no pauses has no response", "[switchtest]") {
  fabric::NetworkConfig deaf = test::set_v1();
  for (auto& link : deaf.links) link.flow_control = fabric::PauseMode::kOff;
  const SwitchReport report = obedience_of(deaf);
  for (const char* name : {"response_ns", "ns_per_quantum", "resumes", "other_classes_disturbed"})
    CHECK(obedience_figure(report, name).status == Status::kAbsent);
}

TEST_CASE("Queues that are empty before a pause arrives tell nothing", "[switchtest]") {
  const fabric::NetworkConfig network = test::set_v1();
  test::AlteredRig rig(network);
  rig.alter = [](const Trial& trial, TrialResult& result) {
    if (!trial.pauses.empty()) result.arrivals.resize(3);
  };
  for (const RigKind kind : {RigKind::kVirtual, RigKind::kRings}) {
    rig.as = kind;
    const SwitchReport report = obedience_of(rig, with_cable(network));
    for (const char* name : {"response_ns", "ns_per_quantum", "resumes"}) {
      CHECK(obedience_figure(report, name).status ==
            (kind == RigKind::kVirtual ? Status::kUnresolvable : Status::kInconclusive));
      CHECK_FALSE(obedience_figure(report, name).reason.empty());
    }
  }
}

TEST_CASE("In real time, the response is bounded and quanta have wide intervals", "[switchtest]") {
  const fabric::NetworkConfig network = test::set_v4();
  test::AlteredRig rig(network);
  rig.as = RigKind::kRings;
  rig.own = std::nullopt;
  Rng rng(3);
  rig.alter = [&](const Trial&, TrialResult& result) {
    result.time_error = rng.below(30 * kMicrosecond);
    Time last = 0;
    for (Arrival& a : result.arrivals) a.at = last = std::max(last, a.at + rng.below(result.time_error + 1));
  };
  Settings settings = with_cable(network);
  settings.effort = Effort::kQuick;
  const SwitchReport report = obedience_of(rig, settings);
  const Figure& response = obedience_figure(report, "response_ns");
  CHECK(response.status == Status::kBounded);
  CHECK(*response.high > 0);
  CHECK(*response.high < 30'000);
  const Figure& quantum = obedience_figure(report, "ns_per_quantum");
  CHECK(*quantum.low <= 51.2);
  CHECK(*quantum.high >= 51.2);
  CHECK(*quantum.high - *quantum.low < 5);
  CHECK(obedience_figure(report, "resumes").text == "yes");
}

TEST_CASE("The obedience of random switches is found", "[switchtest]") {
  test::Score sum;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    const fabric::NetworkConfig network = test::random_switch(seed);
    Settings settings = with_cable(network);
    settings.effort = Effort::kQuick;
    settings.sizes = {1026, 4174};
    const SwitchReport report = test::run_test(network, settings, "dscp,obedience");
    std::vector<test::Truth> truths;
    for (const test::Truth& truth : test::truths_of(network, settings))
      if (truth.test == "obedience") truths.push_back(truth);
    sum.add(test::score(report, truths));
  }
  for (const std::string& complaint : sum.complaints) UNSCOPED_INFO(complaint);
  CHECK(sum.values >= 24);
  CHECK(sum.covered == sum.values);
  CHECK(sum.wrong_class == 0);
}
