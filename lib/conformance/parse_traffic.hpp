// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/traffic_spec.hpp"

#include <yaml-cpp/yaml.h>

namespace softfeb::conformance {

/// Reads the key `traffic` of a case: one traffic run (TrafficSpec) or a list of them. `transport` is the
/// transport of the case. Throws NotationError.
std::vector<TrafficSpec> read_traffic(const YAML::Node& node, roce::Transport transport);

}  // namespace softfeb::conformance
