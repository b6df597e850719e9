// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/device.hpp"
#include "dataplane/mempools.hpp"
#include "dataplane/port.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// Facts for `softfeb doctor`: what this machine and these ports can do, and the fix for what they cannot.
namespace softfeb::dataplane {

enum class Health : std::uint8_t {
  kOk,
  kWarn,  ///< works without; slower, or not with every device
  kBad,   ///< softfeb, or this port, does not work
};

struct Check {
  std::string name;
  Health health = Health::kOk;
  std::string found;
  std::string fix;  ///< empty when there is nothing to mend
};

/// Looks at CPU, memory, drivers and rights. `root` stands before /proc, /sys and /dev (tests have their
/// own). Needs no Eal.
std::vector<Check> check_machine(const std::string& root = "");

/// Attaches, configures and starts the device for real, and lets it go. After Eal. Does not throw for what a
/// device lacks: that is the finding.
std::vector<Check> check_port(const std::string& device_text, const PortConfig& config,
                              DeviceFactory& factory, Mempools& pools);

/// The worst of them; kOk of none.
Health worst(const std::vector<Check>& checks);

/// For people: a line a check, the fix below it.
std::string doctor_text(const std::vector<Check>& checks);
/// For programs: {"verdict": "ok"|"warn"|"bad", "checks": [{"name", "health", "found", "fix"}]}.
std::string doctor_json(const std::vector<Check>& checks);

}  // namespace softfeb::dataplane
