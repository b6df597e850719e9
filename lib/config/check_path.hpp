// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "config/section.hpp"

namespace softfeb::config {

/// True if `from` can send to `ip`, judging by prefix and gateway.
bool reachable(const EndpointConfig& from, const IpAddress& ip);

/// Reports a problem at `where` and returns false if board `from` and receiver `to` cannot reach each other.
bool check_path(Reading& reading, const RunConfig& config, const EndpointConfig& from,
                const EndpointConfig& to, const Where& where);

}  // namespace softfeb::config
