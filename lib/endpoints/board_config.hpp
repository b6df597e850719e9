// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/payloads.hpp"
#include "engine/board.hpp"

#include <cstddef>
#include <cstdint>

namespace softfeb::endpoints {

/// Configuration of board `b` without queue pairs and event data, but with its metadata bus and its traffic
/// generator. `largest_pmtu` is the largest path MTU that fits the MTU of the board's port. `network_slack`
/// is the slack of the LinkShaper if the board is in a lab network.
engine::BoardConfig board_config_of(const config::RunConfig& config, std::size_t b, const Payloads& payloads,
                                    std::uint32_t largest_pmtu, Time network_slack);

}  // namespace softfeb::endpoints
