// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "fabric/config.hpp"
#include "report/switch_run.hpp"

#include <string>
#include <vector>

/// Helpers that measure a switch, write the result as a configuration, and measure the switch that this
/// configuration describes.
namespace softfeb::test {

/// A measured switch, and the configuration that was written from the measurement.
struct WrittenSwitch {
  report::SwitchRun run;
  std::string text;
  config::LabConfig loaded;  ///< the configuration that `text` contains

  const fabric::SwitchConfig& dut() const { return loaded.network.switches.at(0); }
  const fabric::LinkConfig& link(std::size_t port) const { return loaded.network.links.at(port); }
};

/// Runs `tests` (names separated by commas) on the switch of `network`, and writes the result as a
/// configuration. `more` adds reports of tests that are not run.
WrittenSwitch write_switch(const fabric::NetworkConfig& network, const switchtest::Settings& settings,
                           const std::string& tests, const std::vector<switchtest::TestReport>& more = {});
/// Writes a report as a configuration.
WrittenSwitch write_report(const switchtest::SwitchReport& report);
/// Same as write_switch(), for the switch that the configuration in `first` describes.
WrittenSwitch write_again(const WrittenSwitch& first, const std::string& tests,
                          const std::vector<switchtest::TestReport>& more = {});

/// Returns the differences between the figures of two reports. Figures differ if their texts (Figure::text)
/// or statuses differ, or if their intervals do not overlap. A figure that is unknown in the first report
/// agrees with any figure, unless `strict` is set. With `strict`, each value must also be in the interval of
/// the other report.
std::vector<std::string> differences(const switchtest::SwitchReport& a, const switchtest::SwitchReport& b,
                                     bool strict);

}  // namespace softfeb::test
