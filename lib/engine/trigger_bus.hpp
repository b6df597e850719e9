// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "detector/camera_busy.hpp"
#include "detector/trigger_sequence.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace softfeb::engine {

struct TriggerBusConfig {
  std::vector<detector::TriggerSourceConfig> sources;
  Time dead_time = 0;
  std::uint32_t boards = 0;  ///< number of boards that report their busy state
  Time busy_delay = kMicrosecond;
};

/// Distributes the triggers of one sequence to the boards of a detector, and combines the busy states of the
/// boards into the veto of the sequence. In virtual time, all boards share one bus.
///
/// A candidate is judged at the first call with a later time. By then, all busy states up to the candidate
/// must have been reported, so boards must call at the time of each change. Sans-I/O; only the constructor
/// allocates. The times passed to successive calls must not decrease.
class TriggerBus {
 public:
  /// Throws std::invalid_argument if a trigger source is invalid, see detector::TriggerSource.
  explicit TriggerBus(const TriggerBusConfig& config);

  /// Traffic begins at `at`, which is time 0 of the sequence.
  void begin(Time at) { begin_ = at; }
  /// Start of traffic; kNever before begin().
  Time began() const { return begin_; }
  /// Ends the sequence: no candidate at or after `at` is accepted or counted. Only the first call has an
  /// effect.
  void end(Time at);

  /// Judges all candidates before `now`.
  void advance(Time now);
  /// Time of the next candidate, which may be vetoed; kNever if there are no more.
  Time next() const;
  /// Number of accepted triggers, which is the number of the next event.
  std::uint64_t accepted() const { return sequence_.accepted(); }
  /// Number of the oldest event whose trigger is still known.
  std::uint64_t oldest() const { return accepted() < kKept ? 0 : accepted() - kKept; }
  /// The trigger of an event from oldest() to accepted() - 1. Its time counts from began().
  const detector::Trigger& trigger(std::uint64_t event) const { return kept_[event % kKept]; }

  /// Reports that `board` is busy, or no longer busy, from `now` on.
  void report(std::uint32_t board, bool busy, Time now);
  /// Time during which at least one board was busy.
  Time busy_time(Time now) const;
  /// Counts of each source, in the order of the configuration.
  std::span<const detector::TriggerCounts> counts() const { return sequence_.counts(); }

 private:
  static constexpr std::uint64_t kKept = 4096;

  Time since_begin(Time now) const { return now - begin_; }

  detector::TriggerSequence sequence_;
  detector::CameraBusy busy_;
  std::vector<detector::Trigger> kept_;
  Time begin_ = kNever;
  Time end_ = kNever;
};

}  // namespace softfeb::engine
