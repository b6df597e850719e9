// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::switchtest {

/// The queues of port D, as far as they are known.
struct KnownQueues {
  /// One DSCP for each queue, in ascending order: Settings::dscp for the queue to which it belongs, and the
  /// lowest DSCP for every other queue.
  std::vector<std::uint8_t> dscps;
  std::string reason;  ///< why no queue is known, in words
};

/// Returns the known queues of port D. If the findings of the test `dscp` are missing, runs this test first;
/// the figures of this run are not reported.
KnownQueues known_queues(Context& ctx);

/// Returns a DSCP whose queue is not the queue of Settings::dscp. If the switch obeys PFC, a pause that stops
/// Settings::dscp does not stop the returned DSCP. Returns std::nullopt if no such queue is known.
std::optional<std::uint8_t> other_dscp(const Context& ctx, const KnownQueues& queues);

}  // namespace softfeb::switchtest
