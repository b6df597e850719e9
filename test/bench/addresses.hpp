// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/path.hpp"

#include <cstdint>

/// Addresses on the benchmarks' links.
namespace softfeb::bench {

inline constexpr roce::MacAddress kPeerMac{2, 0, 0, 0, 1, 0};
inline constexpr roce::Qpn kFirstQpn = 0x100;  ///< QP i has kFirstQpn + i at both ends
inline constexpr std::uint32_t kRkey = 0x1234;
inline constexpr std::size_t kBthOffset = 14 + 20 + 8;

constexpr roce::MacAddress board_mac(unsigned board = 0) {
  return {2, 0, 0, 0, 0, static_cast<std::uint8_t>(board + 1)};
}
inline roce::IpAddress board_ip(unsigned board = 0) {
  return *roce::IpAddress::parse("10.0.0." + std::to_string(board + 1));
}
inline roce::IpAddress peer_ip() { return *roce::IpAddress::parse("10.0.0.200"); }

/// From a board to the peer.
inline roce::Path path_to_peer(unsigned board = 0) {
  roce::Path p;
  p.source_mac = board_mac(board);
  p.dest_mac = kPeerMac;
  p.source_ip = board_ip(board);
  p.dest_ip = peer_ip();
  return p;
}
/// And back.
inline roce::Path path_to_board(unsigned board = 0) {
  roce::Path p;
  p.source_mac = kPeerMac;
  p.dest_mac = board_mac(board);
  p.source_ip = peer_ip();
  p.dest_ip = board_ip(board);
  return p;
}

}  // namespace softfeb::bench
