// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace softfeb::experiment {

/// Command line of `softfeb run`.
struct RunOptions {
  std::string config;
  std::vector<std::string> overrides;  ///< KEY=VALUE; --duration and --messages are turned into these
  std::optional<std::string> json;     ///< file for the result
  std::optional<std::string> report;   ///< folder for configuration, result, time series and pictures
  bool pictures = true;                ///< in it
  bool quiet = false;
  bool hold = false;  ///< the page stays after the end, until a signal
};

/// Carries out `softfeb run`; returns its exit status. Throws the libraries' exceptions for what stops it
/// before traffic.
int run(const RunOptions& options);

}  // namespace softfeb::experiment
