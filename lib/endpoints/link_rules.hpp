// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "endpoints/plan.hpp"
#include "fabric/config.hpp"

namespace softfeb::endpoints {

/// Adds the fault rules of `lab.link_rules` to the links of `network`, a copy of `lab.network`, together with
/// the addresses of the queue pairs to which they apply. `plans` must be complete. Throws ConfigError if the
/// rules of one direction of a link need too much memory.
void add_link_rules(const config::LabConfig& lab, const Plans& plans, fabric::NetworkConfig& network);

}  // namespace softfeb::endpoints
