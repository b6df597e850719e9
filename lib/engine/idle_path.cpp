// SPDX-License-Identifier: BSD-3-Clause
#include "engine/idle_path.hpp"

#include "base/uint128.hpp"
#include "roce/headers.hpp"
#include "roce/path.hpp"

#include <algorithm>

namespace softfeb::engine {

namespace {

/// Bytes on the wire of a frame of `length` bytes without FCS. The minimum frame size is 64 bytes including
/// the 4 bytes of FCS, which kWireOverhead also contains.
std::uint64_t wire_bytes(std::uint64_t length) {
  return std::max<std::uint64_t>(length + 4, 64) + roce::kWireOverhead - 4;
}

Time duration(std::uint64_t bytes, std::uint64_t rate) {
  return rate == 0 ? 0 : static_cast<Time>(Uint128{bytes} * kSecond / rate);
}

std::uint64_t padded(std::uint32_t length) { return (std::uint64_t{length} + 3) / 4 * 4; }

}  // namespace

/// Follows three packets of the message, hop by hop: its first packet, its last packet, and the packet before
/// the last. All packets between the first and the last have the same length. If the packet before the last
/// has to wait at a hop, there are therefore only two possibilities: this packet waits for a packet that
/// arrived just before it, or the hop has been busy since the first packet. Three packets are therefore
/// sufficient.
Time IdlePath::message(std::uint32_t length) const {
  const std::uint64_t packets = length == 0 ? 1 : (std::uint64_t{length} - 1) / pmtu + 1;
  const auto rest = static_cast<std::uint32_t>(length - (packets - 1) * pmtu);
  const std::uint64_t last_headers = headers + (immediate ? roce::ImmDt::kSize : 0);
  const std::uint64_t full = wire_bytes(headers + pmtu),
                      with_reth = wire_bytes(headers + roce::Reth::kSize + pmtu);
  const std::uint64_t last = wire_bytes(last_headers + padded(rest) + (packets == 1 ? roce::Reth::kSize : 0));
  Time at = 0;  // end of the last packet
  if (packets == 1) {
    for (const Hop& hop : hops) at += duration(last, hop.rate) + hop.delay;
    return at;
  }
  const std::uint64_t between = packets - 2;
  // Times at which the board's rate limit allows the packets to leave.
  Time first_at = 0;
  const auto leaves = [this](std::uint64_t bytes_before) {
    const Time spacing = duration(bytes_before, board_rate);
    return spacing > board_slack ? spacing - board_slack : 0;
  };
  Time before_at = between == 0 ? 0 : leaves(with_reth + (between - 1) * full);
  at = leaves(with_reth + between * full);
  for (const Hop& hop : hops) {
    first_at += duration(with_reth, hop.rate);
    before_at = between == 0 ? first_at
                             : std::max(before_at + duration(full, hop.rate),
                                        first_at + duration(between * full, hop.rate));
    at = std::max(at, before_at) + duration(last, hop.rate) + hop.delay;
    first_at += hop.delay;
    before_at += hop.delay;
  }
  return at;
}

Time IdlePath::acknowledgement() const {
  Time at = 0;
  for (const Hop& hop : hops) at += duration(wire_bytes(headers + roce::Aeth::kSize), hop.rate) + hop.delay;
  return at;
}

}  // namespace softfeb::engine
