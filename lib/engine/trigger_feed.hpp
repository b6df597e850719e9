// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "detector/event_time.hpp"
#include "detector/trigger_sequence.hpp"

#include <cstdint>
#include <span>

namespace softfeb::engine {

/// Provides the accepted triggers of a detector to its boards. The implementations are TriggerBus (all boards
/// in one thread), dataplane::SharedTriggers (boards of several workers) and MessageTriggers (triggers that
/// arrive as messages).
///
/// Triggers are counted from 0 in the order in which they were accepted. Their times count from the start of
/// traffic.
class TriggerFeed {
 public:
  TriggerFeed() = default;
  virtual ~TriggerFeed() = default;
  TriggerFeed(const TriggerFeed&) = delete;
  TriggerFeed& operator=(const TriggerFeed&) = delete;

  /// Sets the start of traffic to `at`, which is time 0 of the triggers and `origin` in TAI. Call once,
  /// before boards start.
  virtual void begin(Time at, detector::EventTime origin) = 0;
  /// Start of traffic; kNever before begin().
  virtual Time began() const = 0;
  /// TAI at the start of traffic. Valid once began() is not kNever.
  virtual detector::EventTime origin() const = 0;

  /// Accepts or vetoes all candidates before `now`. A candidate is a trigger that may still be vetoed.
  virtual void advance(Time now) = 0;
  /// Lower bound on the time of the next trigger; kNever if none is expected. May be in the past.
  virtual Time next() const = 0;
  /// True if no further trigger will be accepted.
  virtual bool over() const = 0;
  /// From now on, no candidate at or after `at` is accepted or counted. If this is called more than once, the
  /// earliest `at` applies.
  virtual void end(Time at) = 0;

  /// Number of triggers accepted so far.
  virtual std::uint64_t accepted() const = 0;
  /// Number of the oldest trigger that is still stored.
  virtual std::uint64_t oldest() const = 0;
  /// Trigger `i`, from oldest() to accepted() - 1. If other threads advance this feed, check oldest() again
  /// after the call: the trigger may have been overwritten.
  virtual detector::Trigger trigger(std::uint64_t i) const = 0;
  /// Additional flags for the event headers of trigger `i`.
  virtual std::uint16_t flags(std::uint64_t /*i*/) const { return 0; }
  /// One more than the highest event number.
  virtual std::uint64_t events() const { return accepted(); }

  /// Reports that `board` becomes busy at `now`, or stops being busy.
  virtual void report(std::uint32_t board, bool busy, Time now) = 0;
  /// Time during which at least one board was busy; 0 if the triggers arrive as messages. Must not be called
  /// while other threads use the feed.
  virtual Time busy_time(Time now) const = 0;
  /// Counts of each source, in the order of the configuration. Empty if the triggers arrive as messages,
  /// because their sources are then outside this object. Must not be called while other threads use the feed.
  virtual std::span<const detector::TriggerCounts> counts() const = 0;
};

}  // namespace softfeb::engine
