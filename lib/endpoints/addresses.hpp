// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "engine/endpoint.hpp"
#include "roce/path.hpp"

/// Addresses of boards and receivers, from their configuration.
namespace softfeb::endpoints {

engine::Identity identity_of(const config::EndpointConfig& e);

/// Headers of the packets from `e` to `peer`, without the UDP source port.
roce::Path path_of(const config::EndpointConfig& e, const roce::IpAddress& peer);

/// Adds the configured neighbours of `e` to those of `endpoint`.
void add_neighbours(engine::Endpoint& endpoint, const config::EndpointConfig& e);

}  // namespace softfeb::endpoints
