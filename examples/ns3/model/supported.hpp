// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "fabric/config.hpp"

#include <string>
#include <vector>

namespace softfeb::ns3model {

/// Returns the names of the settings of a switch that EcnSwitch does not have.
std::vector<std::string> unsupported(const fabric::SwitchConfig& sw);

/// Throws ConfigError if switches or links of the configuration have settings that EcnSwitch and
/// EthernetChannel do not have. Boards and receivers support everything.
void check_supported(const config::LabConfig& config);

}  // namespace softfeb::ns3model
