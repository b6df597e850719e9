// SPDX-License-Identifier: BSD-3-Clause
#include "lab/judge.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::lab;

namespace {

config::LabSettings asking(std::vector<config::LabCheck> checks) {
  config::LabSettings lab;
  lab.checks = std::move(checks);
  return lab;
}

RunStats good_run() {
  RunStats f;
  f.virtual_time = true;
  f.metrics.windows[1].windows = 5;
  f.metrics.windows[1].jain_min = kWhole / 1000 * 995;
  f.metrics.windows[1].port_used_min = kWhole / 100 * 97;
  f.balances = {{"packets_conserved", "", "", 7, 7}};
  return f;
}

const CheckResult& find(const std::vector<CheckResult>& checks, const std::string& name) {
  const auto at = std::find_if(checks.begin(), checks.end(), [&](const auto& c) { return c.name == name; });
  REQUIRE(at != checks.end());
  return *at;
}

const auto kIncast = asking({{"fairness_jain", 0.99, {}}, {"port_used", 0.95, {}}, {"dropped", 0, {}}});

}  // namespace

TEST_CASE("an experiment within its limits holds", "[lab]") {
  const RunStats f = good_run();
  const auto checks = judge(kIncast, f);
  CHECK(verdict_of(kIncast, f, checks) == Verdict::kHeld);
  CHECK(find(checks, "fairness_jain").value == 0.995);
  CHECK(find(checks, "packets_conserved").held);
  CHECK(find(checks, "memory_untouched").held);
}

TEST_CASE("each metric beyond its limit fails", "[lab]") {
  RunStats f = good_run();
  SECTION("at least") { f.metrics.windows[1].jain_min = kWhole / 100 * 98; }
  SECTION("at most") { f.totals.dropped = 1; }
  SECTION("lost packets") { f.balances[0].right = 8; }
  SECTION("unexpected bytes") { f.memory_wrong = 1; }
  SECTION("missing metric") { f.metrics.windows[1].jain_min.reset(); }
  CHECK(verdict_of(kIncast, f, judge(kIncast, f)) == Verdict::kFailed);
}

TEST_CASE("a run too short for a steady state does not fail for it", "[lab]") {
  RunStats f = good_run();
  f.metrics.windows[1] = {};
  const auto checks = judge(kIncast, f);
  CHECK_FALSE(find(checks, "fairness_jain").gated);
  CHECK_FALSE(find(checks, "fairness_jain").value);
  CHECK(verdict_of(kIncast, f, checks) == Verdict::kHeld);
}

TEST_CASE("in real time, timing checks are only reported; integrity and conservation count", "[lab]") {
  RunStats f = good_run();
  f.virtual_time = false;
  f.metrics.windows[1].jain_min = kWhole / 2;
  f.totals.dropped = 3;
  auto checks = judge(kIncast, f);
  CHECK_FALSE(find(checks, "fairness_jain").held);
  CHECK_FALSE(find(checks, "fairness_jain").gated);
  CHECK(verdict_of(kIncast, f, checks) == Verdict::kHeld);
  f.preempted_share = 0.05;
  CHECK(verdict_of(kIncast, f, checks) == Verdict::kInconclusive);
  f.memory_wrong = 1;
  checks = judge(kIncast, f);
  CHECK(verdict_of(kIncast, f, checks) == Verdict::kFailed);
  const auto integrity = asking({{"bytes_wrong", 0, {}}});
  f.memory_wrong = 0;
  f.totals.bytes_wrong = 1;
  CHECK(verdict_of(integrity, f, judge(integrity, f)) == Verdict::kFailed);
}

TEST_CASE("shares that are never reached exceed any limit", "[lab]") {
  RunStats f = good_run();
  const auto lab = asking({{"convergence", 0.3, {}}});
  CHECK_FALSE(judge(lab, f)[0].held);
  f.metrics.changes = {{{}, 100 * kMillisecond}, {{}, 200 * kMillisecond}};
  CHECK(judge(lab, f)[0].held);
  CHECK(judge(lab, f)[0].value == 0.2);
  f.metrics.changes.push_back({{}, std::nullopt});
  CHECK_FALSE(judge(lab, f)[0].held);
}

TEST_CASE("a check may reverse the direction of its limit", "[lab]") {
  RunStats f = good_run();
  f.totals.pause_tx = 100;
  f.metrics.demand_met = kWhole / 2;
  const auto held = [&f](config::LabCheck check) { return judge(asking({check}), f)[0].held; };
  CHECK(held({"pause_tx", 100, {}}));
  CHECK_FALSE(held({"pause_tx", 99, {}}));
  CHECK_FALSE(held({"pause_tx", 101, {}, "at least 101", true}));
  CHECK(held({"pause_tx", 100, {}, "at least 100", true}));
  CHECK_FALSE(held({"demand_met", 0.6, {}}));
  CHECK(held({"demand_met", 0.6, {}, "at most 60%", false}));
  CHECK_FALSE(held({"demand_met", 0.4, {}, "at most 40%", false}));
}

TEST_CASE("unresolved neighbours exceed any limit", "[lab]") {
  RunStats f = good_run();
  const auto lab = asking({{"resolution", 0.01, {}}, {"unresolved_qps", 0, {}}});
  f.totals.resolution = 10 * kMillisecond;
  CHECK(verdict_of(lab, f, judge(lab, f)) == Verdict::kHeld);
  f.totals.resolution = kNever;
  CHECK_FALSE(judge(lab, f)[0].held);
  f.totals.resolution = 0;
  f.totals.unresolved_qps = 1;
  CHECK_FALSE(judge(lab, f)[1].held);
  f.virtual_time = false;
  CHECK(judge(lab, f)[1].gated);
}

TEST_CASE("every name in the table has a metric", "[lab]") {
  RunStats f = good_run();
  f.metrics.windows[0].jain_min = kWhole;
  f.metrics.changes = {{{}, 0}};
  f.metrics.starvation = {0};
  f.metrics.offered = kWhole;
  f.metrics.demand_met = kWhole;
  f.rate_tracking = 0;
  f.sawtooth = 0;
  const auto times = std::make_shared<engine::CompletionTimes>();
  times->add(100, kMicrosecond, 2500, true);
  f.completion_times = times;
  f.spreads = {{{}, 1, kWhole, kWhole}};
  CHECK(value_of("slowdown_p99_10kb", f) == 2.5);
  for (const auto& kind : config::kLabChecks) {
    INFO(kind.name);
    CHECK(value_of(kind.name, f));
  }
  CHECK_FALSE(value_of("no such check", f));
}

TEST_CASE("a limit on a slowdown that is not known does not hold", "[lab]") {
  config::LabSettings lab;
  lab.checks = {{"slowdown_p99_shorter_half", 2.5, {}}};
  RunStats f = good_run();
  f.virtual_time = true;
  CHECK_FALSE(judge(lab, f)[0].held);
  const auto times = std::make_shared<engine::CompletionTimes>();
  f.completion_times = times;
  CHECK_FALSE(judge(lab, f)[0].held);
  times->add(100, kMicrosecond, 2400, true);
  CHECK(judge(lab, f)[0].held);
  times->add(100, kMicrosecond, 2600, true);
  CHECK_FALSE(judge(lab, f)[0].held);
}

TEST_CASE("an experiment with fault rules fails if one was never hit", "[lab]") {
  RunStats f = good_run();
  f.rules_never_hit = 0;
  CHECK(find(judge(kIncast, f), "fault_rules").held);
  f.rules_never_hit = 1;
  CHECK_FALSE(find(judge(kIncast, f), "fault_rules").held);
  CHECK(verdict_of(kIncast, f, judge(kIncast, f)) == Verdict::kFailed);
  f.virtual_time = false;  // whether a rule is hit does not depend on timing
  CHECK(verdict_of(kIncast, f, judge(kIncast, f)) == Verdict::kFailed);
}
