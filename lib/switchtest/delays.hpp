// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "latency/stage_histogram.hpp"
#include "switchtest/estimators.hpp"
#include "switchtest/trial.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Statistics of the delays of frames, and the line through the delays of different lengths. Pure functions.
namespace softfeb::switchtest {

inline constexpr std::array kDelayNames{"min", "mean", "p50", "p95", "p99", "p999", "max", "ipdv"};
/// In nanoseconds, in the order of kDelayNames. The interval is that of the histogram's buckets, or the
/// spread over trials.
using DelayStats = std::array<Interval, kDelayNames.size()>;

/// Of one trial. `variation` is the largest difference between the delays of two consecutive frames (IPDV,
/// RFC 3393). All values are 0 for an empty histogram.
DelayStats delay_stats(const latency::StageHistogram& delays, Time variation);
/// Medians over trials, and the range of their intervals. Requires a trial.
DelayStats combined(std::span<const DelayStats> trials);

/// How the delay of a frame, from its first bit sent to its last bit received, grows with its length.
struct Serialization {
  Interval fixed;  ///< nanoseconds for a frame of no length: links and pipeline
  /// How often a frame is serialized: 2 in store-and-forward, 1 in cut-through. The slope is that of the
  /// slower link for the first time, and that of the faster link for each further time.
  Interval count;
};
/// Fits the line `fixed` + bytes/slower + (count − 1) · bytes/faster. Bytes are on the wire, rates in bytes
/// per second. Requires two different lengths.
Serialization fit_serialization(std::span<const double> wire_bytes, std::span<const double> delay_ns,
                                std::uint64_t rate_in, std::uint64_t rate_out);
/// "store-and-forward", "cut-through", or nullptr if the delay grows in neither way.
const char* forwarding_of(const Serialization& serialization);

}  // namespace softfeb::switchtest
