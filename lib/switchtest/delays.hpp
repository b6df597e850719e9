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

/// Statistics of frame delays, and a line fitted to the delays of frames of different lengths. All functions
/// are pure.
namespace softfeb::switchtest {

inline constexpr std::array kDelayNames{"min", "mean", "p50", "p95", "p99", "p999", "max", "ipdv"};
/// Delays in nanoseconds, in the order of kDelayNames. Each interval comes from the width of a histogram
/// bucket, or from the spread over trials.
using DelayStats = std::array<Interval, kDelayNames.size()>;

/// Computes the statistics of one trial. `variation` is the largest difference between the delays of two
/// consecutive frames (IPDV, RFC 3393). All values are 0 if the histogram is empty.
DelayStats delay_stats(const latency::StageHistogram& delays, Time variation);
/// Computes the medians over trials. The interval of each median contains the intervals of all trials.
/// Requires at least one trial.
DelayStats combined(std::span<const DelayStats> trials);

/// How the delay of a frame, from its first bit sent to its last bit received, grows with the length of the
/// frame.
struct Serialization {
  Interval fixed;  ///< delay of a frame of length 0, in nanoseconds: links and pipeline
  /// Number of times that a frame is serialized: 2 for store-and-forward, 1 for cut-through. The first
  /// serialization takes place at the slower rate, each further serialization at the faster rate.
  Interval count;
};
/// Fits the line `fixed` + bytes/slower + (count − 1) · bytes/faster, where `slower` and `faster` are the
/// lower and the higher of the two rates. `wire_bytes` includes everything that occupies the wire; the rates
/// of the ingress and of the egress port are in bytes per second. Requires at least two different lengths.
Serialization fit_serialization(std::span<const double> wire_bytes, std::span<const double> delay_ns,
                                std::uint64_t rate_in, std::uint64_t rate_out);
/// Returns "store-and-forward", "cut-through", or nullptr if the count is neither 2 nor 1.
const char* forwarding_of(const Serialization& serialization);

}  // namespace softfeb::switchtest
