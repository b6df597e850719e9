// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/figure.hpp"
#include "switchtest/findings.hpp"
#include "switchtest/rig.hpp"
#include "switchtest/settings.hpp"

#include <functional>
#include <string>
#include <vector>

namespace softfeb::switchtest {

/// Results of the preflight and of all tests of a run.
struct SwitchReport {
  RigKind rig = RigKind::kVirtual;
  std::vector<RigPort> ports;
  Settings settings;
  std::vector<TestReport> tests;  ///< the first report is that of the preflight
  Findings findings;
  bool interrupted = false;
};

/// Runs the preflight and then the tests in `only`, in the order of all_tests(). If `only` is empty, runs all
/// tests except those that run only on request. Tests that need more ports than the rig has are unresolvable.
/// `progress` is called with the report of each test when the test has ended.
SwitchReport run_tests(Rig& rig, const Settings& settings, const std::vector<std::string>& only = {},
                       const std::function<void(const TestReport&)>& progress = {});

}  // namespace softfeb::switchtest
