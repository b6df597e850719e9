// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"
#include "switchtest/departure_order.hpp"
#include "switchtest/queue_levels.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// Reports the figures of the test `scheduler`. In these figures, the name of a queue is its DSCP; `dscps`
/// contains the DSCP of each queue.
namespace softfeb::switchtest {

/// For each queue whose level is unknown, the reason.
using QueueFailures = std::map<std::size_t, std::string>;

/// Adds the figure `order`.
void report_order(Context& ctx, const QueueHierarchy& found, const std::vector<std::uint8_t>& dscps,
                  const QueueFailures& failures);
/// Adds the figure `weights`.
void report_weights(Context& ctx, const QueueHierarchy& found, const std::vector<std::uint8_t>& dscps,
                    const QueueFailures& failures);
/// Concludes from the shares of long and short frames whether a weight counts frames or bytes, and adds the
/// figures `mode` and `overhead_bytes`. `ratio` is the weight of the queue with short frames, in units of the
/// weight of the other queue.
void report_mode_of(Context& ctx, const SizeCounts& counts, const Interval& ratio);
/// Adds the figures `mode` and `overhead_bytes` without a value.
void report_no_mode(Context& ctx, Status status, const std::string& reason);
/// Adds the figure `shaper_gbps` for the port or for queues. The limits are in bytes per second. If
/// `uncertain` is true, a queue may have a limit that the rig cannot observe.
void report_limits(Context& ctx, const std::optional<Interval>& of_port,
                   const std::vector<std::optional<Interval>>& of_queues, bool uncertain,
                   const std::vector<std::uint8_t>& dscps);

}  // namespace softfeb::switchtest
