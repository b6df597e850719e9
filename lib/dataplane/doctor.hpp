// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/device.hpp"
#include "dataplane/mempools.hpp"
#include "dataplane/port.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// Checks for `softfeb doctor`: what this machine and its ports support, and how to provide what they lack.
namespace softfeb::dataplane {

enum class Health : std::uint8_t {
  kOk,
  kWarn,  ///< works, but slower or not with every device
  kBad,   ///< softfeb, or this port, does not work
};

struct Check {
  std::string name;
  Health health = Health::kOk;
  std::string found;
  std::string fix;  ///< empty when there is nothing to fix
};

/// Checks CPU, memory, drivers and privileges. `root` is prepended to /proc, /sys and /dev (for tests). Does
/// not need Eal.
std::vector<Check> check_machine(const std::string& root = "");

/// Attaches, configures and starts the device, then releases it. Requires Eal. Does not throw if the device
/// fails; the failure is a finding.
std::vector<Check> check_port(const std::string& device_text, const PortConfig& config,
                              DeviceFactory& factory, Mempools& pools);

/// The worst health of `checks`; kOk if there are none.
Health worst(const std::vector<Check>& checks);

/// Report for humans: one line per check, with the fix below it.
std::string doctor_text(const std::vector<Check>& checks);
/// Report for programs: {"verdict": "ok"|"warn"|"bad", "checks": [{"name", "health", "found", "fix"}]}.
std::string doctor_json(const std::vector<Check>& checks);

}  // namespace softfeb::dataplane
