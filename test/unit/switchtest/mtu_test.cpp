// SPDX-License-Identifier: BSD-3-Clause
#include "altered_rig.hpp"
#include "base/rng.hpp"
#include "switch_sets.hpp"
#include "switchtest/context.hpp"
#include "switchtest/frame_writer.hpp"

#include <algorithm>
#include <array>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

constexpr std::uint32_t kLongestOfRig = 9'214;  // largest frame of the rig's ports

test::Labels mtu_labels(const char* dscp, const char* tag) { return {{"dscp", dscp}, {"tag", tag}}; }

Figure mtu_figure(const SwitchReport& report, const char* dscp, const char* tag) {
  return test::figure(report, "mtu", "frame_bytes", mtu_labels(dscp, tag));
}

/// Removes the frames of a kind from a result, as if the switch had dropped (or damaged) them.
void mtu_drop(TrialResult& result, std::size_t k, bool damage = false) {
  KindStats& stats = result.kinds[k];
  if (damage) stats.damaged = stats.arrived;
  stats.arrived = 0;
}

/// Runs the test with a switch that drops frames longer than `limit` bytes, including the tag.
SwitchReport mtu_with_limit(std::uint32_t limit, bool damage = false, const std::string& tests = "mtu") {
  test::AlteredRig rig(test::set_v1());
  rig.alter = [&](const Trial& trial, TrialResult& result) {
    for (std::size_t k = 0; k < trial.kinds.size(); ++k)
      if (FrameWriter::frame_length(trial.kinds[k]) > limit) mtu_drop(result, k, damage);
  };
  return run_tests(rig, test::four_ports(), {tests});
}

}  // namespace

TEST_CASE("A switch without limit passes all frames that the rig can send", "[switchtest]") {
  for (const auto& network : {test::set_v1(), test::set_v2(), test::set_v3(), test::set_v4(), test::set_v5(),
                              test::set_v6(), test::set_v7()}) {
    const SwitchReport report = test::run_test(network, test::four_ports(), "mtu");
    for (const char* dscp : {"0", "8", "16", "26", "32", "40", "48", "56"})
      for (const char* tag : {"no", "yes"}) {
        const Figure& f = mtu_figure(report, dscp, tag);
        CHECK(f.value == kLongestOfRig + (*tag == 'y' ? 4.0 : 0.0));
        CHECK(f.low == f.value);
        CHECK_FALSE(f.high);
        CHECK(f.status == Status::kBounded);
        const Figure& oversize = test::figure(report, "mtu", "oversize", mtu_labels(dscp, tag));
        CHECK(oversize.status == Status::kUnresolvable);
      }
    CHECK(report.findings.largest_frame == kLongestOfRig);
    CHECK(test::test_report(report, "mtu").trials.size() == 2);
  }
}

TEST_CASE("The largest frame is found to 4 bytes", "[switchtest]") {
  Rng rng(1);
  for (const auto limit :
       std::array{1'514U, 4'170U, 4'173U, 78U, static_cast<std::uint32_t>(100 + rng.below(9'000)),
                  static_cast<std::uint32_t>(100 + rng.below(9'000))}) {
    INFO("limit " << limit);
    const SwitchReport report = mtu_with_limit(limit);
    for (const char* tag : {"no", "yes"}) {
      const Figure& f = mtu_figure(report, "26", tag);
      REQUIRE(f.value);
      CHECK(*f.value <= limit);
      CHECK(*f.high > limit);
      CHECK(*f.high - *f.low == 4);
      CHECK(f.status == Status::kMeasured);
      CHECK(test::figure(report, "mtu", "oversize", mtu_labels("26", tag)).text == "dropped");
    }
    CHECK(report.findings.largest_frame == mtu_figure(report, "26", "no").value);
  }
}

TEST_CASE("The MTU of a simulated switch is found exactly", "[switchtest]") {
  constexpr std::uint32_t kHeader = 14, kTag = 4;
  const bool counts_tag = GENERATE(false, true);
  for (const std::uint32_t mtu : {1'500U, 4'096U, 9'000U}) {
    INFO("MTU " << mtu << (counts_tag ? ", tag included" : ""));
    fabric::NetworkConfig network = test::set_v1();
    network.switches[0].mtu = mtu;
    network.switches[0].mtu_counts_tag = counts_tag;
    const SwitchReport report = test::run_test(network, test::four_ports(), "mtu");
    for (const char* tag : {"no", "yes"}) {
      // Lengths are without FCS. The test sends lengths of 74 + 4k bytes, plus 4 bytes for the tag.
      const std::uint32_t longest = mtu + kHeader + (*tag == 'y' && !counts_tag ? kTag : 0);
      const Figure& f = mtu_figure(report, "26", tag);
      CHECK(f.value == longest - (longest - 74) % 4);
      CHECK(f.low == f.value);
      CHECK(f.high == *f.value + 4);
      CHECK(f.status == Status::kMeasured);
      CHECK(test::figure(report, "mtu", "oversize", mtu_labels("26", tag)).text == "dropped");
    }
  }
}

TEST_CASE("Later tests send no frames longer than those that pass", "[switchtest]") {
  CHECK(mtu_with_limit(1'514).findings.largest_frame == 1'514U);
  test::AlteredRig rig(test::set_v1());
  Findings findings{.largest_frame = 1'514};
  TestReport report;
  const Settings settings = test::four_ports();
  CHECK(Context(rig, settings, findings, report).large_size(0, 3) == 1'518);
}

TEST_CASE("Truncated frames do not pass", "[switchtest]") {
  const SwitchReport report = mtu_with_limit(2'000, true);
  CHECK(mtu_figure(report, "26", "no").value == 1'998.0);
  CHECK(test::figure(report, "mtu", "oversize", mtu_labels("26", "no")).text == "truncated or damaged");
}

TEST_CASE("Each class has a largest frame of its own", "[switchtest]") {
  test::AlteredRig rig(test::set_v6());
  rig.alter = [&](const Trial& trial, TrialResult& result) {
    for (std::size_t k = 0; k < trial.kinds.size(); ++k)
      if (trial.kinds[k].dscp == 56 && trial.kinds[k].length > 1'514) mtu_drop(result, k);
  };
  const SwitchReport report = run_tests(rig, test::four_ports(), {"dscp", "mtu"});
  CHECK(mtu_figure(report, "56", "no").value == 1'514.0);
  CHECK(mtu_figure(report, "26", "no").value == kLongestOfRig);
  CHECK(report.findings.largest_frame == 1'514U);
  // The queues of the DSCPs are known, so each queue is tested once.
  const auto& figures = test::test_report(report, "mtu").figures;
  CHECK(std::count_if(figures.begin(), figures.end(),
                      [](const Figure& f) { return f.name == "frame_bytes"; }) == 12);
}

TEST_CASE("Tagged frames that never pass have no largest size", "[switchtest]") {
  test::AlteredRig rig(test::set_v1());
  rig.alter = [&](const Trial& trial, TrialResult& result) {
    for (std::size_t k = 0; k < trial.kinds.size(); ++k)
      if (trial.kinds[k].vlan) mtu_drop(result, k);
  };
  const SwitchReport report = run_tests(rig, test::four_ports(), {"mtu"});
  CHECK(mtu_figure(report, "26", "yes").status == Status::kAbsent);
  CHECK_FALSE(mtu_figure(report, "26", "yes").value);
  CHECK(mtu_figure(report, "26", "no").value == kLongestOfRig);
}

TEST_CASE("Random losses do not look like a limit", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  network.links[0].a_to_b.drop = (std::uint64_t{1} << 32) / 5;
  const SwitchReport report = test::run_test(network, test::four_ports(), "mtu");
  for (const char* dscp : {"0", "8", "16", "26", "32", "40", "48", "56"})
    CHECK(mtu_figure(report, dscp, "no").value == kLongestOfRig);
}

TEST_CASE("The largest frame needs valid trials", "[switchtest]") {
  test::AlteredRig rig(test::set_v1());
  rig.as = RigKind::kRings;
  rig.alter = [](const Trial& trial, TrialResult& result) {
    if (trial.freezes.empty()) result.void_reason = "imissed";
  };
  const SwitchReport report = run_tests(rig, test::four_ports(), {"mtu"});
  CHECK(test::test_report(report, "mtu").status == Status::kInconclusive);
  CHECK_FALSE(report.findings.largest_frame);
}
