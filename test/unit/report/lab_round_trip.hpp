// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "fabric/config.hpp"
#include "report/switch_run.hpp"

#include <string>
#include <vector>

/// Measures a switch, writes it as a configuration, and measures what the configuration describes.
namespace softfeb::test {

/// A measured switch and its file.
struct WrittenSwitch {
  report::SwitchRun run;
  std::string text;
  config::LabConfig loaded;  ///< from the text

  const fabric::SwitchConfig& dut() const { return loaded.network.switches.at(0); }
  const fabric::LinkConfig& link(std::size_t port) const { return loaded.network.links.at(port); }
};

/// Runs these tests (names separated by commas) and writes the result. `more`: reports of tests that the
/// library does not have.
WrittenSwitch write_switch(const fabric::NetworkConfig& network, const switchtest::Settings& settings,
                           const std::string& tests, const std::vector<switchtest::TestReport>& more = {});
/// Writes what was found.
WrittenSwitch write_report(const switchtest::SwitchReport& report);
/// Runs the same tests on the written switch.
WrittenSwitch write_again(const WrittenSwitch& first, const std::string& tests,
                          const std::vector<switchtest::TestReport>& more = {});

/// Differences between the figures of two reports: other words or statuses, and intervals that do not
/// overlap; figures that the first report does not know may have any value. `strict`: those must be equal,
/// too, and each value must be in the interval of the other report.
std::vector<std::string> differences(const switchtest::SwitchReport& a, const switchtest::SwitchReport& b,
                                     bool strict);

}  // namespace softfeb::test
