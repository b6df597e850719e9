// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "switchtest/trial.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// What the frames that arrive from boards, and their CNPs, say about congestion control. Pure functions.
namespace softfeb::switchtest {

/// Frames that arrived from each board in each interval (KindStats::series).
using BoardSeries = std::vector<std::span<const std::uint32_t>>;

/// Intervals from `first` to before `end`.
struct SeriesRange {
  std::size_t first = 0, end = 0;
};

/// Frames of each board in a range.
std::vector<double> frames_in(const BoardSeries& boards, const SeriesRange& range);

/// Number of intervals from the beginning of the range to the first `window` intervals in which every board
/// was within 10 % of its fair share; nullopt: there were none. `fair`: frames per interval.
std::optional<std::size_t> intervals_to_fair(const BoardSeries& boards, const SeriesRange& range,
                                             std::size_t window, double fair);

/// True if every value is within 10 % of the mean.
bool even(std::span<const double> values);

/// What became of CNPs.
struct CnpFate {
  std::uint64_t sent = 0, lost = 0;
  std::uint64_t unsolicited = 0;  ///< received, but not sent by a port
  std::vector<double> delays_ns;  ///< from the first bit sent to the last bit received
};

/// Finds the sent CNP of each received one, by kind and identification. CNPs that were sent after `until` do
/// not count, because they may still be on their way.
CnpFate match_cnps(std::span<const Cnp> sent, std::span<const Cnp> received, Time until);

/// Time of the first of these departures of constant gaps after which the gap has grown by half; nullopt:
/// none has. Requires ascending times.
std::optional<Time> slows_down(std::span<const Time> departures, Time after);

}  // namespace softfeb::switchtest
