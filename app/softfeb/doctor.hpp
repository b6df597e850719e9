// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace softfeb::app {

/// Command line of `softfeb doctor`.
struct DoctorOptions {
  std::optional<std::string> config;   ///< also probes the ports of this configuration
  std::vector<std::string> overrides;  ///< KEY=VALUE
  bool json = false;
};

/// Says what this machine and these ports can do, and the fix for what they cannot. Returns 0, or 3 when
/// something that is needed is missing.
int doctor(const DoctorOptions& options);

}  // namespace softfeb::app
