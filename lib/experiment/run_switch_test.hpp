// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace softfeb::experiment {

/// The command line of `softfeb switch-test`.
struct SwitchTestOptions {
  std::string config;
  std::vector<std::string> overrides;
  std::vector<std::string> only;      ///< names of tests; if empty, all except those that run only on request
  std::optional<std::string> expect;  ///< file of expectations
  std::optional<std::string> report;  ///< folder for the report
  std::optional<std::string> json;    ///< file for the result; - for standard output
  std::optional<std::string> junit;   ///< file for the result as JUnit XML; - for standard output
  std::optional<std::string>
      as_lab;           ///< file for a configuration with the measured switch; - for standard output
  bool strict = false;  ///< inconclusive tests and undecided expectations count as failures
  bool list = false;
  bool quiet = false;
};

/// Measures a switch from outside. Returns the exit status. Throws ConfigError, EnvironmentError,
/// RequestError.
int run_switch_test(const SwitchTestOptions& options);

}  // namespace softfeb::experiment
