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

/// Runs a test and appends its report. If the test is interrupted, the report is kept if it has figures.
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
      run_one(test, out, rig);
      if (progress) progress(out.tests.back());
    }
  } catch (const Interrupted&) {
    out.interrupted = true;
  }
  return out;
}

}  // namespace softfeb::switchtest
