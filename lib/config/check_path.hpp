// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "config/section.hpp"

namespace softfeb::config {

/// `from` can send to `ip` as far as prefix and gateway tell.
bool reachable(const EndpointConfig& from, const IpAddress& ip);

/// False, and a problem at `where`, when board `from` and receiver `to` cannot hear each other.
bool check_path(Reading& reading, const RunConfig& config, const EndpointConfig& from,
                const EndpointConfig& to, const Where& where);

}  // namespace softfeb::config
