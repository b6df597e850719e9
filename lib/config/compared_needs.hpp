// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "config/node.hpp"

#include <string>
#include <vector>

/// Changes the document of a lab so that its network provides what a congestion control needs. Internal to
/// compared.cpp.
namespace softfeb::config {

/// Text that error messages about added settings contain in place of a file name, because these settings are
/// in no file.
inline constexpr const char* kComparedPlace = "--algorithms";

/// Adds ECN marking to all switches, unless one of them already marks packets or forges CNPs. Returns the
/// settings in the syntax of `--set`. `base` is the lab of the unchanged document.
std::vector<std::string> switch_on_marking(Node& document, const LabConfig& base);

/// Adds INT records, congestion control headers, and room for them in packets of the links' MTU, wherever the
/// document lacks them. Returns the settings in the syntax of `--set`.
std::vector<std::string> switch_on_int(Node& document, const LabConfig& base);

/// Adds congestion control headers, and strict priorities to switches that have none. Returns the settings in
/// the syntax of `--set`.
std::vector<std::string> switch_on_grants(Node& document, const LabConfig& base);

/// Adds parameters of Homa if their defaults do not fit the network. `rtt_bytes` is made proportional to the
/// bottleneck's rate. The number of priority levels is set to that of the switch with the fewest strict
/// priorities. The section must not contain these parameters yet.
void add_grant_parameters(Node& section, const LabConfig& base);

/// Checks that the priorities that switch_on_grants() added have an effect. Throws ConfigError if the
/// settings of queues in the file prevent this. `base` is the lab of the unchanged document, and `lab` is the
/// lab with the added priorities.
void check_priorities(const Node& document, const LabConfig& base, const LabConfig& lab);

}  // namespace softfeb::config
