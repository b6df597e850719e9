// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::switchtest {

/// One stream of frames that competes with others for port D.
struct Competitor {
  std::uint16_t port = 0;
  FrameKind kind;
  std::size_t unit = 0;  ///< index of the group (such as a port or a flow) whose frames are counted together
};

/// The streams of a competition, and the time during which their frames are counted.
struct Competition {
  std::vector<Competitor> competitors;
  std::size_t units = 0;
  /// Rate of each port, in bytes per second on the wire. The competitors at a port share this rate.
  std::uint64_t rate = 0;
  GapKind gaps = GapKind::kExponential;
  bool obey = true;  ///< whether the ports obey the switch's pauses
  Time time = 0;
};

struct CompetitionResult {
  std::vector<double> frames;  ///< number of frames that arrived, by unit
  std::uint64_t pauses = 0;    ///< pause frames that the switch sent
};

/// Time after which even a large memory of the switch is full if the senders offer `offered` bytes per second
/// on the wire to port D; at most one second.
Time time_to_fill(const Context& ctx, std::uint64_t offered);

/// Runs a competition. Counting begins after the queues have reached a steady state. Returns std::nullopt if
/// the rig failed.
std::optional<CompetitionResult> compete(Context& ctx, const Competition& competition, std::uint64_t seed);

}  // namespace softfeb::switchtest
