// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "switchtest/trial.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Evaluates congestion control from the arrivals and CNPs of emulated boards. All functions are pure.
namespace softfeb::switchtest {

/// Number of frames that arrived from each board in each interval (KindStats::series).
using BoardSeries = std::vector<std::span<const std::uint32_t>>;

/// The intervals from `first` up to, but not including, `end`.
struct SeriesRange {
  std::size_t first = 0, end = 0;
};

/// Number of frames from each board in a range.
std::vector<double> frames_in(const BoardSeries& boards, const SeriesRange& range);

/// Searches for the first `window` consecutive intervals during which the number of frames of every board was
/// within 10 % of its fair share, which is `window` times `fair` frames. Returns the number of intervals that
/// precede them in the range, or std::nullopt if there are no such intervals.
std::optional<std::size_t> intervals_to_fair(const BoardSeries& boards, const SeriesRange& range,
                                             std::size_t window, double fair);

/// True if every value is within 10 % of the mean.
bool even(std::span<const double> values);

/// Counts and delays of CNPs that were sent.
struct CnpFate {
  std::uint64_t sent = 0, lost = 0;
  std::uint64_t unsolicited = 0;  ///< received, but not sent by a port
  std::vector<double> delays_ns;  ///< delays from the first bit sent to the last bit received
};

/// Matches each received CNP with the sent CNP that has the same kind and identification. CNPs sent after
/// `until` do not count, because they may still be on their way.
CnpFate match_cnps(std::span<const Cnp> sent, std::span<const Cnp> received, Time until);

/// Returns the time of the first departure at or after `after` that is followed by a long gap. A gap is long
/// if it exceeds 1.5 times the longest gap before `after`. Returns nullopt if there is no such departure. The
/// times must be in ascending order.
std::optional<Time> slows_down(std::span<const Time> departures, Time after);

}  // namespace softfeb::switchtest
