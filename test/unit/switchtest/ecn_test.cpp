// SPDX-License-Identifier: BSD-3-Clause
#include "altered_rig.hpp"
#include "closed_forms.hpp"
#include "random_switch.hpp"
#include "run_test.hpp"
#include "score.hpp"
#include "switch_sets.hpp"

#include <algorithm>
#include <utility>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

Settings marking_settings(Effort effort = Effort::kStandard) {
  Settings out = test::four_ports();
  out.effort = effort;
  return out;
}

SwitchReport run_ecn_on(const fabric::NetworkConfig& network, Effort effort = Effort::kStandard) {
  return test::run_test(network, marking_settings(effort), "ecn");
}

Figure marking(const SwitchReport& report, const char* name) { return test::figure(report, "ecn", name); }

bool contains_truth(const Figure& figure, double truth) {
  return *figure.low <= truth && *figure.high >= truth;
}

/// Checks that the value is close to the truth, and that the interval is about as narrow as promised.
void check_near(const Figure& figure, double truth, double tolerance) {
  INFO(figure.name << " " << figure.value.value_or(-1) << " " << figure.low.value_or(-1) << " "
                   << figure.high.value_or(-1) << " " << figure.reason);
  REQUIRE(figure.status == Status::kMeasured);
  CHECK(*figure.value == Approx(truth).epsilon(tolerance));
  CHECK(*figure.low <= *figure.value);
  CHECK(*figure.high >= *figure.value);
  CHECK(*figure.high - *figure.low <= 2 * std::max(0.04 * truth, 1'022.0));
}

void check_thresholds(const SwitchReport& report, double kmin, double kmin_tolerance, double kmax) {
  check_near(marking(report, "kmin_bytes"), kmin, kmin_tolerance);
  check_near(marking(report, "kmax_bytes"), kmax, 0.01);
}

void check_curve(const SwitchReport& report, double kmin, double kmin_tolerance, double kmax, double pmax,
                 double pmax_tolerance) {
  check_thresholds(report, kmin, kmin_tolerance, kmax);
  check_near(marking(report, "pmax"), pmax, pmax_tolerance);
}

/// Puts DSCPs from 32 on into queue 1; all queues mark in the same way.
fabric::NetworkConfig with_two_queues(fabric::NetworkConfig network) {
  for (std::size_t dscp = 32; dscp < 64; ++dscp) network.switches[0].dscp_to_queue[dscp] = 1;
  return network;
}

fabric::NetworkConfig averaging(fabric::NetworkConfig network, std::uint8_t weight, bool at_dequeue) {
  for (auto& queue : network.switches[0].queues) {
    queue.ecn.weight = weight;
    queue.ecn.at_dequeue = at_dequeue;
  }
  return network;
}

/// Marks frames that find at least `bytes` bytes in all queues of port 3 together.
void mark_by_port(TrialResult& result, std::size_t bytes) {
  constexpr Time kDelay = 3 * kMicrosecond;  // roughly the delay of a frame that does not wait
  constexpr std::size_t kLength = 1'022;
  for (Arrival& a : result.arrivals) {
    if (a.port != 3) continue;
    const auto waiting = std::count_if(result.arrivals.begin(), result.arrivals.end(), [&](const Arrival& b) {
      return b.port == 3 && b.departed < a.departed && b.at > a.departed + kDelay;
    });
    if (static_cast<std::size_t>(waiting) * kLength >= bytes) a.ecn = roce::Ecn::kCe;
  }
}

}  // namespace

TEST_CASE("The marking curve of a ramp up to 100 %", "[switchtest]") {
  const SwitchReport report = run_ecn_on(test::set_v2());
  check_curve(report, 40'960, 0.02, 163'840, 100, 0.03);
  CHECK(marking(report, "where").text == "enqueue");
  CHECK(marking(report, "averaged").text == "no");
  const Figure& scope = marking(report, "scope");
  CHECK(scope.status == Status::kUnresolvable);
  CHECK(scope.reason == "no frames with another DSCP are known to use another queue of port D");
  const auto& curves = test::test_report(report, "ecn").curves;
  REQUIRE(curves.size() == 2);
  CHECK(curves[0].label == "measured");
  CHECK(curves[0].points.back().y == 1);
  CHECK(curves[0].points.front().high > 0);
  CHECK(curves[1].points.back().y == 1);
}

TEST_CASE("The marking curve of a ramp up to 10 %", "[switchtest]") {
  const SwitchReport report = run_ecn_on(test::set_v3());
  check_curve(report, 102'400, 0.03, 409'600, 10, 0.05);
  CHECK(marking(report, "where").text == "enqueue");
  CHECK(marking(report, "averaged").text == "no");
}

TEST_CASE("The marking curve of a lossless class", "[switchtest]") {
  const SwitchReport report = run_ecn_on(test::set_v4());
  check_curve(report, 40'960, 0.02, 163'840, 100, 0.03);
  CHECK(marking(report, "where").text == "enqueue");
  CHECK(marking(report, "scope").text == "queue");
}

TEST_CASE("A switch without marking has no curve", "[switchtest]") {
  const auto network =
      GENERATE(as<fabric::NetworkConfig>{}, test::set_v1(), test::set_v5(), test::set_v6(), test::set_v7());
  const SwitchReport report = run_ecn_on(network);
  for (const char* name : {"kmin_bytes", "kmax_bytes", "pmax", "where", "averaged", "scope"}) {
    CHECK(marking(report, name).status == Status::kAbsent);
    CHECK_FALSE(marking(report, name).reason.empty());
    CHECK_FALSE(marking(report, name).value);
  }
}

TEST_CASE("Marks at dequeue are distinguished from marks at enqueue", "[switchtest]") {
  const SwitchReport report = run_ecn_on(averaging(test::set_v3(), 0, true));
  check_curve(report, 102'400, 0.03, 409'600, 10, 0.05);
  CHECK(marking(report, "where").text == "dequeue");
  CHECK(marking(report, "averaged").text == "no");
}

TEST_CASE("Marking by a queue's own length is distinguished from marking by the port's length",
          "[switchtest]") {
  const bool at_dequeue = GENERATE(false, true);
  const SwitchReport own =
      run_ecn_on(averaging(with_two_queues(test::set_v2()), 0, at_dequeue), Effort::kQuick);
  CHECK(marking(own, "scope").text == "queue");
  test::AlteredRig rig(with_two_queues(test::set_v1()));
  rig.alter = [](const Trial&, TrialResult& result) { mark_by_port(result, 60'000); };
  const SwitchReport port = run_tests(rig, marking_settings(Effort::kQuick), {"ecn"});
  CHECK(marking(port, "scope").text == "port");
  CHECK(marking(port, "where").text == "enqueue");
  check_near(marking(port, "kmax_bytes"), 60'000, 0.02);
}

TEST_CASE("Equal thresholds have no pmax", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  test::mark_all_queues(network.switches[0], 80'000, 80'000);
  const SwitchReport report = run_ecn_on(network, Effort::kQuick);
  check_near(marking(report, "kmin_bytes"), 80'000, 0.02);
  check_near(marking(report, "kmax_bytes"), 80'000, 0.02);
  CHECK(marking(report, "pmax").status == Status::kUnresolvable);
  CHECK(marking(report, "where").text == "enqueue");
}

TEST_CASE("A queue that is full before kmax bounds the curve", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  test::mark_all_queues(network.switches[0], 300'000, 4'000'000, std::uint64_t{1} << 31);
  const SwitchReport report = run_ecn_on(network, Effort::kQuick);
  check_near(marking(report, "kmin_bytes"), 300'000, 0.03);
  const Figure &kmax = marking(report, "kmax_bytes"), &pmax = marking(report, "pmax");
  CHECK(kmax.status == Status::kBounded);
  CHECK(*kmax.low > 1'040'000);
  CHECK_FALSE(kmax.high);
  CHECK(pmax.status == Status::kBounded);
  CHECK(*pmax.low < 50);
  CHECK(*pmax.low > 5);
}

TEST_CASE("An average of the length is distinguished from the present length", "[switchtest]") {
  const auto [weight, at_dequeue] =
      GENERATE(table<int, bool>({{1, false}, {4, false}, {8, false}, {1, true}, {5, true}}));
  const SwitchReport report =
      run_ecn_on(averaging(test::set_v2(), static_cast<std::uint8_t>(weight), at_dequeue));
  CHECK(marking(report, "averaged").text == "yes");
  CHECK(marking(report, "where").text == (at_dequeue ? "dequeue" : "enqueue"));
  const Figure& found = marking(report, "average_weight");
  CHECK(*found.value == weight);
  for (const auto& [name, truth] : {std::pair{"kmin_bytes", 40'960.0}, std::pair{"kmax_bytes", 163'840.0}}) {
    const Figure& figure = marking(report, name);
    INFO(name << " " << weight << " " << *figure.value << " " << *figure.low << " " << *figure.high);
    CHECK(*figure.value == Approx(truth).epsilon(0.05));
  }
  CHECK(marking(report, "scope").status == Status::kUnresolvable);
}

TEST_CASE("An average so slow that a train is not marked is not taken for no marking", "[switchtest]") {
  const SwitchReport report = run_ecn_on(averaging(test::set_v2(), 14, false), Effort::kQuick);
  CHECK(marking(report, "averaged").text == "yes");
  CHECK(marking(report, "kmin_bytes").status != Status::kAbsent);
}

TEST_CASE("A switch that marks all frames has thresholds of 0", "[switchtest]") {
  test::AlteredRig rig(test::set_v1());
  rig.alter = [](const Trial&, TrialResult& result) {
    for (Arrival& a : result.arrivals) a.ecn = roce::Ecn::kCe;
  };
  const SwitchReport report = run_tests(rig, marking_settings(Effort::kQuick), {"ecn"});
  CHECK(marking(report, "kmax_bytes").value == 0);
  CHECK(marking(report, "averaged").text == "no");
  CHECK(marking(report, "where").status == Status::kUnresolvable);
}

TEST_CASE("Without pauses, waiting times show the marking curve", "[switchtest][long]") {
  const bool at_dequeue = GENERATE(false, true);
  fabric::NetworkConfig network = averaging(test::set_v3(), 0, at_dequeue);
  network.links[3].flow_control = fabric::PauseMode::kOff;
  const SwitchReport report = run_ecn_on(network);
  check_thresholds(report, 102'400, 0.03, 409'600);
  const Figure& pmax = marking(report, "pmax");
  if (at_dequeue) {
    CHECK(pmax.status == Status::kUnresolvable);
  } else {
    check_near(pmax, 10, 0.05);
  }
  CHECK(marking(report, "where").text == (at_dequeue ? "dequeue" : "enqueue"));
  CHECK(marking(report, "averaged").text == "no");
  CHECK(marking(report, "scope").status == Status::kUnresolvable);
}

TEST_CASE("Waiting times at a switch that cuts through are known to a frame for each sender",
          "[switchtest]") {
  fabric::NetworkConfig network = averaging(test::set_v3(), 0, true);
  network.links[3].flow_control = fabric::PauseMode::kOff;
  network.switches[0].times.cut_through = true;
  const SwitchReport report = run_ecn_on(network, Effort::kQuick);
  const Figure& kmax = marking(report, "kmax_bytes");
  INFO(*kmax.value << " " << *kmax.low << " " << *kmax.high);
  CHECK(*kmax.value != Approx(409'600).margin(1'022));
  CHECK(*kmax.high - *kmax.value > 2 * 1'022);
  CHECK(contains_truth(kmax, 409'600));
  CHECK(contains_truth(marking(report, "kmin_bytes"), 102'400));
}

TEST_CASE("Without pauses, an average is recognized but not measured", "[switchtest]") {
  fabric::NetworkConfig network = averaging(test::set_v3(), 6, false);
  network.links[3].flow_control = fabric::PauseMode::kOff;
  const SwitchReport report = run_ecn_on(network, Effort::kQuick);
  CHECK(marking(report, "averaged").text == "yes");
  for (const char* name : {"kmin_bytes", "kmax_bytes", "pmax", "where"}) {
    CHECK(marking(report, name).status == Status::kUnresolvable);
    CHECK_FALSE(marking(report, name).reason.empty());
  }
}

TEST_CASE("One sender cannot fill the queue of a switch that does not obey pauses", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v3();
  network.links[3].flow_control = fabric::PauseMode::kOff;
  Settings settings = marking_settings();
  settings.roles = {.a = 0, .d = 3};
  const SwitchReport report = test::run_test(network, settings, "ecn");
  CHECK(test::test_report(report, "ecn").status == Status::kUnresolvable);
  CHECK(test::test_report(report, "ecn").figures.empty());
}

TEST_CASE("Two ports are enough for the marking curve", "[switchtest]") {
  Settings settings = marking_settings(Effort::kQuick);
  settings.roles = {.a = 0, .d = 3};
  const SwitchReport report = test::run_test(with_two_queues(test::set_v2()), settings, "ecn");
  CHECK(*marking(report, "kmin_bytes").value == Approx(40'960).epsilon(0.05));
  CHECK(marking(report, "scope").text == "queue");
}

TEST_CASE("Void trials of the marking test are repeated", "[switchtest]") {
  test::AlteredRig rig(with_two_queues(test::set_v2()));
  rig.as = RigKind::kRings;
  unsigned trials = 0;
  rig.alter = [&](const Trial&, TrialResult& result) {
    if (++trials % 5 == 0) result.void_reason = "a worker was not run for 2 ms";
  };
  const SwitchReport report = run_tests(rig, marking_settings(Effort::kQuick), {"ecn"});
  const Figure& kmin = marking(report, "kmin_bytes");
  CHECK(*kmin.value == Approx(40'960).epsilon(0.05));
  CHECK(kmin.void_trials > 10);
  CHECK(marking(report, "averaged").text == "no");
  CHECK(marking(report, "scope").text == "queue");
}

TEST_CASE("A marking test whose trials are all void is inconclusive", "[switchtest]") {
  test::AlteredRig rig(test::set_v2());
  unsigned trials = 0;
  rig.alter = [&](const Trial&, TrialResult& result) {
    if (++trials > 40) result.void_reason = "a sender was late";
  };
  const SwitchReport report = run_tests(rig, marking_settings(), {"ecn"});
  CHECK(test::test_report(report, "ecn").status == Status::kInconclusive);
  CHECK(test::test_report(report, "ecn").figures.empty());
}

TEST_CASE("A switch that lets frames go in spite of pauses has no marking curve", "[switchtest]") {
  test::AlteredRig rig(test::set_v2());
  unsigned trials = 0;
  rig.alter = [&](const Trial& trial, TrialResult& result) {
    if (++trials > 20 && !trial.freezes.empty() && !result.arrivals.empty()) result.arrivals.front().at = 0;
  };
  const SwitchReport report = run_tests(rig, marking_settings(), {"ecn"});
  const TestReport& ecn = test::test_report(report, "ecn");
  CHECK(ecn.status == Status::kUnresolvable);
  CHECK(ecn.reason == "frames left the switch although port D had paused it");
}

TEST_CASE("Intervals of the marking curve contain the truth as often as they claim", "[switchtest][long]") {
  constexpr unsigned kSeeds = 10;
  unsigned contained = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    fabric::NetworkConfig network = averaging(test::set_v2(), 0, seed % 2 == 0);
    network.seed = seed;
    const SwitchReport report = run_ecn_on(network, Effort::kQuick);
    contained += contains_truth(marking(report, "kmin_bytes"), 40'960) ? 1 : 0;
    contained += contains_truth(marking(report, "kmax_bytes"), 163'840) ? 1 : 0;
    contained += contains_truth(marking(report, "pmax"), 100) ? 1 : 0;
  }
  // If each interval contains the truth with a probability of 95 %, at least 27 of the 30 do so with a
  // probability of 94 %.
  CHECK(contained >= 3 * kSeeds - 3);
}

TEST_CASE("A rig that cannot send long trains finds out with shorter ones that a switch does not mark",
          "[switchtest]") {
  test::AlteredRig rig(GENERATE(as<fabric::NetworkConfig>{}, test::set_v1(), test::set_v6()));
  rig.alter = [](const Trial&, TrialResult& result) {
    std::uint64_t sent = 0;
    for (const KindStats& kind : result.kinds) sent += kind.sent;
    if (sent > 10'000) result.void_reason = "a worker was not run for 2 ms";
  };
  const SwitchReport report = run_tests(rig, marking_settings(Effort::kQuick), {"ecn"});
  CHECK(marking(report, "kmin_bytes").status == Status::kAbsent);
  CHECK(marking(report, "kmin_bytes").void_trials > 0);
  CHECK(marking(report, "kmin_bytes").reason.find("8192 frames had been sent") != std::string::npos);
}

TEST_CASE("Frames that never arrive have no marking curve", "[switchtest]") {
  test::AlteredRig rig(test::set_v2());
  unsigned trials = 0;
  rig.alter = [&](const Trial&, TrialResult& result) {
    if (++trials > 20) result.arrivals.clear();
  };
  const SwitchReport report = run_tests(rig, marking_settings(), {"ecn"});
  CHECK(test::test_report(report, "ecn").status == Status::kUnresolvable);
  CHECK(test::test_report(report, "ecn").reason == "none of the frames of a train arrived");
}

TEST_CASE("The marking curves of random switches", "[switchtest][long]") {
  constexpr std::uint64_t kSwitches = 5;
  const std::uint64_t first = GENERATE(1U, 17U);
  const Settings settings = marking_settings(Effort::kQuick);
  test::Score sum;
  for (std::uint64_t seed = first; seed < first + kSwitches; ++seed) {
    const fabric::NetworkConfig network = test::random_switch(seed);
    const SwitchReport report = test::run_test(network, settings, "ecn");
    const test::Score one = test::score(report, test::truths_of(network, settings));
    for (const std::string& complaint : one.complaints) UNSCOPED_INFO("seed " << seed << ": " << complaint);
    sum.add(one);
  }
  CHECK(sum.share() >= 0.95);
  CHECK(sum.far == 0);
  CHECK(sum.wrong_class == 0);
  CHECK(sum.silent == 0);
  CHECK(sum.values >= 3);
}
