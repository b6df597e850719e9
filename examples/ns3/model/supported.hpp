// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"

namespace softfeb::ns3model {

/// Throws ConfigError if switches or links of the configuration have settings that EcnSwitch and
/// EthernetChannel do not have. Boards and receivers support everything.
void check_supported(const config::LabConfig& config);

}  // namespace softfeb::ns3model
