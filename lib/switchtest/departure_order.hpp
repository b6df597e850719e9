// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "switchtest/estimators.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Draws conclusions about a scheduler from the order in which frames leave several full queues. All
/// functions are pure.
namespace softfeb::switchtest {

/// A frame that left a switch.
struct Departure {
  std::size_t queue = 0;  ///< number of the queue, from 0
  Time at = 0;
  Time waited = 0;  ///< delay in excess of the delay of the fastest frame of the same queue
};

/// The part of a sequence of departures in which all queues had frames to send.
struct Contention {
  /// Indices of the first departure of the part, and of the one after its last departure. The part leaves out
  /// the first departures of the sequence (contention()).
  std::size_t begin = 0, end = 0;
  std::vector<std::uint64_t> frames{};  ///< number of frames of each queue
};

/// Returns the departures up to the moment at which any of the `queues` queues becomes empty. Leaves out the
/// first 5 % of these departures, because their frames may have left while the queues were still being
/// filled. Returns std::nullopt if fewer than 20 departures remain, or if one of the queues has no
/// departures.
std::optional<Contention> contention(std::span<const Departure> departures, std::size_t queues);

/// Returns the longest part at the end of `all` in which every frame waited for at least `least`. During this
/// part, all queues certainly held frames. (A queue that empties as fast as it fills shows neither its weight
/// nor its priority.) Returns std::nullopt if fewer than 20 departures remain, or if one of the queues has
/// none of these departures.
std::optional<Contention> while_all_wait(std::span<const Departure> departures, const Contention& all,
                                         Time least);

/// Returns the part of `all` that consists of whole rounds of a scheduler. This part begins and ends where
/// the queue with the fewest frames begins to send. In whole rounds, the number of frames of each queue is
/// exact to within one frame. Returns std::nullopt if there is no whole round.
std::optional<Contention> whole_rounds(std::span<const Departure> departures, const Contention& all);

/// Returns the ratio of two numbers of frames, each of which is exact to within one frame.
Interval frame_ratio(std::uint64_t numerator, std::uint64_t denominator);

/// Frames that left two queues in whole rounds.
struct SizeCounts {
  std::uint64_t frames[2] = {0, 0};
  double length[2] = {0, 0};  ///< bytes
};
/// Number of bytes o that a scheduler adds to the length of each frame, if it gives queue 1 `ratio` times the
/// bytes of queue 0: frames[1] · (length[1] + o) = ratio · frames[0] · (length[0] + o).
Interval accounted_overhead(const SizeCounts& counts, const Interval& ratio);

/// Returns the rate at which frames departed, in bytes per second on the wire, where each frame occupies
/// `wire_bytes` bytes. Uses the second half of the departures. `time_error` is the largest error of the
/// times. Returns std::nullopt if there are fewer than 20 departures.
std::optional<Interval> departure_rate(std::span<const Departure> departures, double wire_bytes,
                                       Time time_error);

}  // namespace softfeb::switchtest
