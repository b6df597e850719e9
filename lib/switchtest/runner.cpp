// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/runner.hpp"

#include "switchtest/context.hpp"
#include "switchtest/tests.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::switchtest {

namespace {

constexpr SwitchTest kPreflight{"preflight", "which pause frames the switch obeys and sends", 2,
                                run_preflight};

/// Runs a test and appends its report. If the test is interrupted, its report is kept only if it has figures.
void run_one(const SwitchTest& test, SwitchReport& out, Rig& rig) {
  TestReport& report =
      out.tests.emplace_back(TestReport{.name = std::string(test.name), .title = std::string(test.title)});
  Context ctx(rig, out.settings, out.findings, report);
  if (rig.ports().size() < test.ports) {
    ctx.unresolvable("the test needs " + std::to_string(test.ports) + " ports, and the rig has " +
                     std::to_string(rig.ports().size()));
    return;
  }
  const Time began = rig.now();
  try {
    test.run(ctx);
  } catch (const Interrupted&) {
    report.reason = "the run was interrupted";
    if (report.figures.empty()) out.tests.pop_back();
    throw;
  }
  report.took = rig.now() - began;
}

/// Repeats the preflight if too many of its trials were void. Otherwise, tests would mistake features that
/// the preflight could not observe for features that the switch lacks. Returns false if the preflight is
/// inconclusive again.
bool repeat_preflight(SwitchReport& out, Rig& rig) {
  if (out.tests.front().status != Status::kInconclusive) return true;
  run_one(kPreflight, out, rig);
  out.tests.front() = std::move(out.tests.back());
  out.tests.pop_back();
  return out.tests.front().status != Status::kInconclusive;
}

}  // namespace

SwitchReport run_tests(Rig& rig, const Settings& settings, const std::vector<std::string>& only,
                       const std::function<void(const TestReport&)>& progress) {
  SwitchReport out{.rig = rig.kind(), .ports = rig.ports(), .settings = settings};
  std::vector<SwitchTest> tests{kPreflight};
  for (const SwitchTest& test : all_tests())
    if (only.empty() ? !test.on_request : std::find(only.begin(), only.end(), test.name) != only.end())
      tests.push_back(test);
  try {
    for (const SwitchTest& test : tests) {
      if (out.tests.empty() || repeat_preflight(out, rig)) {
        run_one(test, out, rig);
      } else {
        out.tests.push_back({.name = std::string(test.name),
                             .title = std::string(test.title),
                             .status = Status::kInconclusive,
                             .reason = "the preflight is inconclusive: " + out.tests.front().reason});
      }
      if (progress) progress(out.tests.back());
    }
  } catch (const Interrupted&) {
    out.interrupted = true;
  }
  return out;
}

}  // namespace softfeb::switchtest
