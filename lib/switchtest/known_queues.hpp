// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::switchtest {

/// The queues of port D that are known.
struct KnownQueues {
  /// A DSCP of each queue, in ascending order: Settings::dscp for its own queue, and the lowest DSCP for each
  /// other.
  std::vector<std::uint8_t> dscps;
  std::string reason;  ///< why none is known, in words
};

/// Runs the test dscp if its findings are missing; its figures are not reported.
KnownQueues known_queues(Context& ctx);

/// Of the queues, the DSCP of one whose frames are not stopped with those of Settings::dscp if the switch
/// obeys PFC. nullopt: none is known.
std::optional<std::uint8_t> other_dscp(const Context& ctx, const KnownQueues& queues);

}  // namespace softfeb::switchtest
