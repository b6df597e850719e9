// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::switchtest {

/// Frames that compete for port D with others.
struct Competitor {
  std::uint16_t port = 0;
  FrameKind kind;
  std::size_t unit = 0;  ///< frames of all competitors of a unit are counted together
};

/// How competitors send.
struct Competition {
  std::vector<Competitor> competitors;
  std::size_t units = 0;
  std::uint64_t rate = 0;  ///< bytes per second on the wire that each port sends, shared by its competitors
  GapKind gaps = GapKind::kExponential;
  bool obey = true;  ///< whether the ports obey the switch's pauses
  Time time = 0;
};

struct CompetitionResult {
  std::vector<double> frames;  ///< that arrived, by unit
  std::uint64_t pauses = 0;    ///< pause frames of the switch
};

/// Time after which even a large memory of the switch is full, if `offered` bytes per second on the wire
/// compete for port D; at most a second.
Time time_to_fill(const Context& ctx, std::uint64_t offered);

/// Runs a competition. Frames count after a time in which the queues reach a steady state. nullopt: the rig
/// failed.
std::optional<CompetitionResult> compete(Context& ctx, const Competition& competition, std::uint64_t seed);

}  // namespace softfeb::switchtest
