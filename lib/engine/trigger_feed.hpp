// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "detector/event_time.hpp"
#include "detector/trigger_sequence.hpp"

#include <cstdint>
#include <span>

namespace softfeb::engine {

/// The accepted triggers of a detector, as a board takes them. The implementations are TriggerBus (all boards
/// in one thread), dataplane::SharedTriggers (boards of several workers) and MessageTriggers (triggers that
/// arrive as messages).
///
/// Triggers are counted from 0 in the order in which they were accepted. Their times are those since traffic
/// began.
class TriggerFeed {
 public:
  TriggerFeed() = default;
  virtual ~TriggerFeed() = default;
  TriggerFeed(const TriggerFeed&) = delete;
  TriggerFeed& operator=(const TriggerFeed&) = delete;

  /// Traffic begins at `at`, which is time 0 of the triggers and `origin` in TAI. Call once, before boards
  /// start.
  virtual void begin(Time at, detector::EventTime origin) = 0;
  /// Start of traffic; kNever before begin().
  virtual Time began() const = 0;
  /// TAI at the start of traffic. Valid once began() is not kNever.
  virtual detector::EventTime origin() const = 0;

  /// Judges all candidates before `now`.
  virtual void advance(Time now) = 0;
  /// Lower bound on the time of the next trigger; kNever if none is expected. May be in the past.
  virtual Time next() const = 0;
  /// True if no further trigger will be accepted.
  virtual bool over() const = 0;
  /// No candidate at or after `at` is accepted or counted from now on. Of several calls, the earliest `at`
  /// counts.
  virtual void end(Time at) = 0;

  /// Number of triggers so far.
  virtual std::uint64_t accepted() const = 0;
  /// Number of the oldest trigger that is still known.
  virtual std::uint64_t oldest() const = 0;
  /// Trigger `i`, from oldest() to accepted() - 1. If other threads advance this feed, check oldest() again
  /// after the call: the trigger may have been overwritten.
  virtual detector::Trigger trigger(std::uint64_t i) const = 0;
  /// Further flags for the headers of trigger `i`.
  virtual std::uint16_t flags(std::uint64_t /*i*/) const { return 0; }
  /// One more than the highest event number.
  virtual std::uint64_t events() const { return accepted(); }

  /// `board` is busy, or no longer, from `now` on.
  virtual void report(std::uint32_t board, bool busy, Time now) = 0;
  /// Time during which at least one board was busy. Not to be called while other threads use the feed.
  virtual Time busy_time(Time now) const = 0;
  /// Counts of each source, in the order of the configuration. Empty if the triggers arrive as messages,
  /// because their sources are then outside this object. Not to be called while other threads use the feed.
  virtual std::span<const detector::TriggerCounts> counts() const = 0;
};

}  // namespace softfeb::engine
