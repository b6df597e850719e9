// SPDX-License-Identifier: BSD-3-Clause
#include "altered_rig.hpp"
#include "random_switch.hpp"
#include "run_test.hpp"
#include "switch_sets.hpp"
#include "switchtest/codepoint_counts.hpp"

#include <algorithm>
#include <functional>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

Settings codepoint_settings(Effort effort = Effort::kQuick) {
  Settings out = test::four_ports();
  out.effort = effort;
  return out;
}

/// Returns the share of the frames sent with ECN field `from` that arrive with ECN field `to`. `queue` is
/// "long" or "empty", and `ip` is the IP version.
double share_became(const SwitchReport& report, const char* queue, const char* from, const char* to,
                    const char* ip = "4") {
  return *test::figure(report, "codepoints", "became",
                       {{"queue", queue}, {"ip", ip}, {"from", from}, {"to", to}})
              .value;
}

double codepoint_count(const SwitchReport& report, const char* name) {
  return *test::figure(report, "codepoints", name).value;
}

using Alter = std::function<void(const Trial&, TrialResult&)>;

SwitchReport run_codepoints_altered(const fabric::NetworkConfig& network, Alter alter) {
  test::AlteredRig rig(network);
  rig.alter = std::move(alter);
  return run_tests(rig, codepoint_settings(), {"codepoints"});
}

}  // namespace

TEST_CASE("No switch of the validation sets violates ECN", "[switchtest]") {
  const auto network = GENERATE(as<fabric::NetworkConfig>{}, test::set_v1(), test::set_v2(), test::set_v3(),
                                test::set_v4(), test::set_v5(), test::set_v6(), test::set_v7());
  const SwitchReport report = test::run_test(network, codepoint_settings(), "codepoints");
  const Figure& violations = test::figure(report, "codepoints", "violations");
  CHECK(violations.value == 0);
  CHECK(violations.high == 0);
  CHECK(test::figure(report, "codepoints", "not_ect_dropped").status == Status::kAbsent);
  for (const char* ip : {"4", "6"}) {
    CHECK(share_became(report, "empty", "ect0", "ect0", ip) == 1);
    CHECK(share_became(report, "empty", "ect1", "ect1", ip) == 1);
    for (const char* queue : {"empty", "long"}) {
      CHECK(share_became(report, queue, "not-ect", "not-ect", ip) == 1);
      CHECK(share_became(report, queue, "ce", "ce", ip) == 1);
    }
    const bool marks = network.switches[0].queues[network.switches[0].dscp_to_queue[26]].ecn.enabled;
    CHECK(share_became(report, "long", "ect0", marks ? "ce" : "ect0", ip) == 1);
    CHECK(share_became(report, "long", "ect1", marks ? "ce" : "ect1", ip) == 1);
  }
}

TEST_CASE("Random switches do not violate ECN", "[switchtest]") {
  const std::uint64_t seed = GENERATE(range(1U, 7U));
  const fabric::NetworkConfig network = test::random_switch(seed);
  const SwitchReport report = test::run_test(network, codepoint_settings(), "codepoints");
  const Figure& violations = test::figure(report, "codepoints", "violations");
  CHECK(*violations.value == 0);
  const bool obeys = network.links[3].flow_control != fabric::PauseMode::kOff;
  CHECK(violations.status == (obeys ? Status::kMeasured : Status::kBounded));
}

TEST_CASE("The standard effort tests 1,000 frames of each field", "[switchtest]") {
  const SwitchReport report =
      test::run_test(test::set_v2(), codepoint_settings(Effort::kStandard), "codepoints");
  std::uint64_t frames = 0;
  for (const TrialRecord& trial : test::test_report(report, "codepoints").trials)
    if (trial.kinds.size() >= 8) frames += trial.kinds[0].sent;
  CHECK(frames >= 2'000);
  CHECK(share_became(report, "long", "ect0", "ce") == 1);
}

TEST_CASE("A queue that marks at dequeue is filled behind the frames", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v2();
  for (auto& queue : network.switches[0].queues) queue.ecn.at_dequeue = true;
  const SwitchReport report = test::run_test(network, codepoint_settings(), "codepoints");
  CHECK(share_became(report, "long", "ect1", "ce") == 1);
  CHECK(codepoint_count(report, "violations") == 0);
  const SwitchReport after_ecn = test::run_test(network, codepoint_settings(), "ecn,codepoints");
  CHECK(share_became(after_ecn, "long", "ect1", "ce") == 1);
}

TEST_CASE("A switch drops Not-ECT frames where it marks others", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v2();
  for (auto& queue : network.switches[0].queues) queue.ecn.drop_not_ect = true;
  const SwitchReport report = test::run_test(network, codepoint_settings(), "codepoints");
  const Figure& dropped = test::figure(report, "codepoints", "not_ect_dropped");
  CHECK(dropped.status == Status::kMeasured);
  CHECK(*dropped.value == 1);
  CHECK(*dropped.low > 0.95);
  CHECK(codepoint_count(report, "violations") == 0);
}

TEST_CASE("Frames that do not wait are tested even without pauses", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v2();
  for (auto& link : network.links) link.flow_control = fabric::PauseMode::kOff;
  const SwitchReport report = test::run_test(network, codepoint_settings(), "codepoints");
  CHECK(share_became(report, "empty", "ect0", "ect0") == 1);
  const Figure& violations = test::figure(report, "codepoints", "violations");
  CHECK(violations.status == Status::kBounded);
  CHECK(violations.low == 0);
  CHECK_FALSE(violations.high);
  CHECK(test::figure(report, "codepoints", "not_ect_dropped").status == Status::kUnresolvable);
}

TEST_CASE("A switch that marks Not-ECT frames violates ECN", "[switchtest]") {
  const SwitchReport report =
      run_codepoints_altered(test::set_v2(), [](const Trial& trial, TrialResult& result) {
        for (Arrival& a : result.arrivals)
          if (trial.kinds[a.kind].ecn == roce::Ecn::kNotEct && a.sequence % 10 == 0) a.ecn = roce::Ecn::kCe;
      });
  CHECK(share_became(report, "empty", "not-ect", "ce") == Approx(0.1));
  CHECK(codepoint_count(report, "wrong_ecn") > 0);
  CHECK(codepoint_count(report, "violations") == codepoint_count(report, "wrong_ecn"));
}

TEST_CASE("A switch that changes ECT or clears CE violates ECN", "[switchtest]") {
  const SwitchReport ect = run_codepoints_altered(test::set_v1(), [](const Trial&, TrialResult& result) {
    for (Arrival& a : result.arrivals)
      if (a.ecn == roce::Ecn::kEct1) a.ecn = roce::Ecn::kEct0;
  });
  CHECK(share_became(ect, "empty", "ect1", "ect0", "6") == 1);
  CHECK(codepoint_count(ect, "wrong_ecn") > 0);
  const SwitchReport ce = run_codepoints_altered(test::set_v1(), [](const Trial&, TrialResult& result) {
    for (Arrival& a : result.arrivals)
      if (a.ecn == roce::Ecn::kCe) a.ecn = roce::Ecn::kNotEct;
  });
  CHECK(codepoint_count(ce, "wrong_ecn") > 0);
}

TEST_CASE("A switch must not change the DSCP or damage what it marks", "[switchtest]") {
  const SwitchReport dscp = run_codepoints_altered(test::set_v2(), [](const Trial&, TrialResult& result) {
    for (Arrival& a : result.arrivals) a.dscp = a.ecn == roce::Ecn::kCe ? 0 : a.dscp;
  });
  CHECK(codepoint_count(dscp, "wrong_dscp") > 0);
  CHECK(codepoint_count(dscp, "wrong_ecn") == 0);
  const SwitchReport damaged =
      run_codepoints_altered(test::set_v2(), [](const Trial& trial, TrialResult& result) {
        for (Arrival& a : result.arrivals) {
          if (a.ecn != roce::Ecn::kCe || trial.kinds[a.kind].ecn == a.ecn) continue;
          a.intact = false;
          ++result.kinds[a.kind].damaged;
          --result.kinds[a.kind].arrived;
        }
      });
  CHECK(codepoint_count(damaged, "damaged") > 0);
  CHECK(codepoint_count(damaged, "violations") == codepoint_count(damaged, "damaged"));
}

TEST_CASE("Frames whose header checksum is wrong are damaged, not lost", "[switchtest]") {
  const SwitchReport report = run_codepoints_altered(test::set_v2(), [](const Trial& trial,
                                                                        TrialResult& result) {
    std::erase_if(result.arrivals, [&](const Arrival& a) {
      const FrameKind& kind = trial.kinds[a.kind];
      if (trial.kinds.size() < 8 || a.kind >= 8 || a.ecn != roce::Ecn::kCe || kind.ecn == a.ecn || kind.ipv6)
        return false;
      --result.kinds[a.kind].arrived;
      ++result.foreign;
      return true;
    });
  });
  CHECK(codepoint_count(report, "damaged") > 0);
  CHECK(codepoint_count(report, "wrong_ecn") == 0);
}

TEST_CASE("A switch that does not forward IPv6 is tested with IPv4", "[switchtest]") {
  const SwitchReport report =
      run_codepoints_altered(test::set_v2(), [](const Trial& trial, TrialResult& result) {
        std::erase_if(result.arrivals, [&](const Arrival& a) {
          if (!trial.kinds[a.kind].ipv6) return false;
          result.kinds[a.kind].arrived = 0;
          return true;
        });
      });
  const Figure& v6 =
      test::figure(report, "codepoints", "became", {{"queue", "empty"}, {"ip", "6"}, {"from", "ect0"}});
  CHECK(v6.status == Status::kAbsent);
  CHECK(share_became(report, "long", "ect0", "ce") == 1);
  CHECK(codepoint_count(report, "violations") == 0);
}

TEST_CASE("A queue that does not stay long is not tested", "[switchtest]") {
  constexpr std::size_t kKinds = 9;  // all ECN fields over IPv4 and IPv6, and the frames that fill the queue
  const SwitchReport report =
      run_codepoints_altered(test::set_v2(), [](const Trial& trial, TrialResult& result) {
        if (trial.kinds.size() == kKinds && !result.arrivals.empty()) result.arrivals.front().at = 0;
      });
  const Figure& dropped = test::figure(report, "codepoints", "not_ect_dropped");
  CHECK(dropped.status == Status::kUnresolvable);
  CHECK(dropped.reason == "frames left the switch although port D had paused it");
  CHECK(share_became(report, "empty", "ce", "ce") == 1);
}

TEST_CASE("Codepoints of a rig whose trials are all void are inconclusive", "[switchtest]") {
  const SwitchReport report = run_codepoints_altered(
      test::set_v2(), [](const Trial&, TrialResult& result) { result.void_reason = "a sender was late"; });
  CHECK(test::test_report(report, "codepoints").status == Status::kInconclusive);
}

TEST_CASE("Fields that may change and fields that may not", "[switchtest]") {
  CodepointCounts counts;
  const auto add = [&](roce::Ecn from, roce::Ecn to, std::uint8_t dscp = 26, bool intact = true) {
    counts.add(FrameKind{.ecn = from}, Arrival{.dscp = dscp, .ecn = to, .intact = intact});
  };
  using enum roce::Ecn;
  add(kEct0, kEct0);
  add(kEct0, kCe);
  add(kEct1, kCe);
  add(kCe, kCe);
  add(kNotEct, kNotEct);
  CHECK(counts.violations() == 0);
  add(kNotEct, kCe);
  add(kEct1, kEct0);
  add(kCe, kEct0);
  CHECK(counts.wrong_ecn() == 3);
  add(kEct0, kEct0, 0);
  CHECK(counts.wrong_dscp == 1);
  add(kEct0, kNotEct, 0, false);
  CHECK(counts.damaged == 1);
  CHECK(counts.violations() == 5);
}
