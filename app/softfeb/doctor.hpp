// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace softfeb::app {

/// Command line of `softfeb doctor`.
struct DoctorOptions {
  std::optional<std::string> config;   ///< check the ports of this configuration as well
  std::vector<std::string> overrides;  ///< KEY=VALUE
  bool json = false;
};

/// Checks this machine and its ports, and prints a fix for each problem. Returns 0, or 3 if a requirement is
/// missing.
int doctor(const DoctorOptions& options);

}  // namespace softfeb::app
