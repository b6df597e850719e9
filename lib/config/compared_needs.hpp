// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "config/node.hpp"

#include <string>
#include <vector>

/// Switches on what a congestion control needs of the network, in the document of a lab. Internal to
/// compared.cpp.
namespace softfeb::config {

/// Name of the place of settings that no file contains, in messages.
inline constexpr const char* kComparedPlace = "--algorithms";

/// Adds ECN marking to all switches, unless one of them marks. Returns the settings as `--set` takes them.
/// `base` is the lab of the unchanged document.
std::vector<std::string> switch_on_marking(Node& document, const LabConfig& base);

/// Adds INT records, congestion control headers, and room for them in packets of the links' MTU, as far as
/// the document lacks them. Returns the settings as `--set` takes them.
std::vector<std::string> switch_on_int(Node& document, const LabConfig& base);

}  // namespace softfeb::config
