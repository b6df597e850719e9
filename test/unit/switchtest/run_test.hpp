// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"
#include "switchtest/runner.hpp"

#include <map>
#include <string>

namespace softfeb::test {

using Labels = std::map<std::string, std::string>;

/// Runs the preflight and the given tests (one or several, separated by commas) on a simulated network.
switchtest::SwitchReport run_test(const fabric::NetworkConfig& network, const switchtest::Settings& settings,
                                  const std::string& tests);

/// Returns the figure of `test` that has this name and exactly these labels. Fails the running test case if
/// there is none. Returns a copy, because reports are often temporary.
switchtest::Figure figure(const switchtest::SwitchReport& report, const std::string& test,
                          const std::string& name, const Labels& labels = {});
/// Returns true if the test has a figure with this name, whatever its labels.
bool has_figure(const switchtest::SwitchReport& report, const std::string& test, const std::string& name);
/// Returns the report of a test. Fails the running test case if there is none.
const switchtest::TestReport& test_report(const switchtest::SwitchReport& report, const std::string& test);

}  // namespace softfeb::test
