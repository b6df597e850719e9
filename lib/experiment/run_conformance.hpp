// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::experiment {

/// The command line of `softfeb conformance`.
struct ConformanceOptions {
  std::string config;  ///< configuration file; may be empty for own:virtual, `list` and `explain`
  std::vector<std::string> overrides;
  std::optional<std::string> target;
  std::optional<std::string> profile;
  std::optional<std::string> cases;  ///< groups and ids, separated by commas
  std::vector<std::string> levels;
  bool quick = false;
  /// Has no effect, because a full run is the default. Scripts can set this option to state their choice.
  bool full = false;
  bool stress = false;
  bool destructive = false;
  bool strict = false;  ///< a deviation that the profile lists but that did not occur counts as a failure
  bool allow_inconclusive = false;
  std::optional<std::string> out;            ///< folder for the report
  std::optional<std::string> json;           ///< file for the result; - for standard output
  std::optional<std::string> write_profile;  ///< file for a draft of a profile
  bool list = false;
  std::optional<std::string> explain;  ///< id of a case
  bool quiet = false;
};

/// Acts as a requester towards an RDMA receiver, case by case, and judges the answers. Returns the exit
/// status. Throws ConfigError, PeerError, EnvironmentError, RequestError.
int run_conformance(const ConformanceOptions& options);

}  // namespace softfeb::experiment
