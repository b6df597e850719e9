// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "switchtest/estimators.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// What the order in which frames leave several full queues tells about their scheduler. Pure functions.
namespace softfeb::switchtest {

/// A frame that left a switch.
struct Departure {
  std::size_t queue = 0;  ///< 0, 1, …
  Time at = 0;
  Time waited = 0;  ///< delay beyond that of the fastest frame of its queue
};

/// Part of a sequence of departures in which all queues had frames to send.
struct Contention {
  std::size_t begin = 0, end = 0;       ///< indices; the first departures are left out
  std::vector<std::uint64_t> frames{};  ///< by queue
};

/// The departures until the first of `queues` queues is empty, without the first 5 %, which may contain
/// frames that left their queue while it was being filled. nullopt: fewer than 20 frames are left, or a queue
/// had no frames.
std::optional<Contention> contention(std::span<const Departure> departures, std::size_t queues);

/// The last part of `all` in which every frame waited for at least `least`, so that all queues held frames. A
/// queue that is emptied as fast as it fills shows neither its weight nor its priority. nullopt: fewer than
/// 20 frames are left, or a queue has none of them.
std::optional<Contention> while_all_wait(std::span<const Departure> departures, const Contention& all,
                                         Time least);

/// The part of `all` that consists of whole rounds of a scheduler: it begins and ends where the queue with
/// the fewest frames begins to send. nullopt: there is no whole round. In whole rounds, the number of frames
/// of a queue is right within one frame.
std::optional<Contention> whole_rounds(std::span<const Departure> departures, const Contention& all);

/// Ratio of two numbers of frames, each of which is right within one frame.
Interval frame_ratio(std::uint64_t numerator, std::uint64_t denominator);

/// Frames of two queues in whole rounds.
struct SizeCounts {
  std::uint64_t frames[2] = {0, 0};
  double length[2] = {0, 0};  ///< bytes
};
/// Bytes that a scheduler adds to the length of each frame, if it shares bytes so that queue 1 gets `ratio`
/// times what queue 0 gets: frames[1] · (length[1] + o) = ratio · frames[0] · (length[0] + o).
Interval accounted_overhead(const SizeCounts& counts, const Interval& ratio);

/// Rate in bytes per second of frames that each take `wire_bytes`, from the second half of the departures.
/// `time_error`: by which the times may be wrong. nullopt: there are fewer than 20.
std::optional<Interval> departure_rate(std::span<const Departure> departures, double wire_bytes,
                                       Time time_error);

}  // namespace softfeb::switchtest
