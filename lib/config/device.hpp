// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/parsed.hpp"
#include "config/port_config.hpp"

#include <string>

namespace softfeb::config {

/// Parses `device` of a port (see DeviceKind for the forms).
Parsed<Device> parse_device(const std::string& text);

}  // namespace softfeb::config
