// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board_builder.hpp"

#include <cstdint>

/// Addresses on the benchmarks' links.
namespace softfeb::bench {

inline constexpr roce::Qpn kFirstQpn = test::kSendQpn;  ///< QP i has kFirstQpn + i at both ends
inline constexpr std::uint32_t kRkey = 0x1234;
inline constexpr std::size_t kBthOffset = 14 + 20 + 8;

inline engine::Identity board_identity(unsigned board = 0) { return test::identity(board + 1); }
inline engine::Identity peer() { return test::identity(200); }

inline roce::Path path_to_peer(unsigned board = 0) { return test::path(board_identity(board), peer()); }
inline roce::Path path_to_board(unsigned board = 0) { return test::path(peer(), board_identity(board)); }

}  // namespace softfeb::bench
