// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/board_registers.hpp"
#include "config/run_config.hpp"
#include "engine/congestion.hpp"
#include "srp/rssi_server.hpp"

#include <cstddef>

/// Translates a board's section `control` into the configuration of its registers and links.
namespace softfeb::slowcontrol {

/// Returns the number of configured QPs of the board. This number is also the index of the first QP that the
/// metadata bus creates.
std::size_t configured_qps(const config::BoardConfig& board);

/// Returns the configuration of a board's registers. `start` is the time at which the board's own clock is 0.
board::BoardRegistersConfig registers_config(const config::RunConfig& config, std::size_t board, Time start);

/// Configures the firmware's two links. `max_datagram` is the longest datagram that all paths to the link can
/// carry.
srp::RssiServerConfig registers_link(const config::ControlConfig& c, std::size_t max_datagram,
                                     std::uint64_t seed);
srp::RssiServerConfig stream_link(const config::ControlConfig& c, std::size_t max_datagram,
                                  std::uint64_t seed);

/// True if `ip` is in one of the networks from which clients may connect.
bool allowed(const config::ControlConfig& c, const roce::IpAddress& ip);

}  // namespace softfeb::slowcontrol
