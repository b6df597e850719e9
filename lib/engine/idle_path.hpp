// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstdint>
#include <vector>

namespace softfeb::engine {

/// The links between a board and a receiver, and the time that a message takes on them if nothing else is
/// sent. Switches store and forward. Links lose nothing, and neither pacing nor congestion control delays a
/// packet.
struct IdlePath {
  struct Hop {
    std::uint64_t rate = 0;  ///< bytes per second on the wire, nonzero
    Time delay = 0;          ///< propagation delay
  };

  std::vector<Hop> hops;  ///< links from the board to the receiver, in this order
  /// Rate limit of the board's link (LinkShaper) in bytes per second; 0 means no limit.
  std::uint64_t board_rate = 0;
  Time board_slack = 0;       ///< time by which packets of an idle board may leave ahead of this limit
  std::uint32_t pmtu = 4096;  ///< path MTU in bytes
  std::uint32_t headers = 0;  ///< bytes of a frame, not counting RETH, immediate, payload and FCS
  bool immediate = false;     ///< the last packet carries ImmDt
  bool operator==(const IdlePath&) const = default;

  /// Time from when the first bit of a message of `length` bytes leaves the board until its last bit arrives
  /// at the receiver.
  Time message(std::uint32_t length) const;
  /// Time from the arrival of a message's last bit until the board has the acknowledgement. The
  /// acknowledgement consists of the headers that `headers` counts, and of an AETH.
  Time acknowledgement() const;
};

}  // namespace softfeb::engine
