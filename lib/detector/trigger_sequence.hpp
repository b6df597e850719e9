// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "detector/trigger_source.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace softfeb::detector {

/// An accepted trigger. Events are numbered from 0, without gaps.
struct Trigger {
  std::uint64_t event = 0;
  Time time = 0;  ///< time since traffic began
  EventType type = EventType::kUnknown;

  bool operator==(const Trigger&) const = default;
};

/// Counts of accepted and vetoed candidates of one source.
struct TriggerCounts {
  std::uint64_t candidates = 0;
  std::uint64_t accepted = 0;
  std::uint64_t dead_time = 0;  ///< vetoed, because they came too soon after an accepted trigger
  std::uint64_t busy = 0;       ///< vetoed, because the detector was busy

  bool operator==(const TriggerCounts&) const = default;
};

/// Generates the triggers of a detector: merges the candidates of all sources by time, and applies the vetoes
/// for dead time and busy boards. Each trigger of a source is a candidate; a candidate that is not vetoed is
/// an accepted trigger.
///
/// A candidate within `dead_time` of the last accepted trigger is vetoed; a vetoed candidate does not extend
/// the dead time. A candidate in a busy interval is also vetoed. If candidates have the same time, the source
/// with the lower index comes first.
///
/// Sans-I/O: time is an argument, so the class works in virtual time (called at next()) and in real time
/// (called with the current time). Two sequences with the same configuration and the same busy intervals
/// generate the same triggers.
class TriggerSequence {
 public:
  /// Throws std::invalid_argument if a source is invalid (see TriggerSource).
  TriggerSequence(std::vector<TriggerSourceConfig> sources, Time dead_time);

  /// Time of the next candidate, which may be vetoed; kNever if there are no more.
  Time next() const { return sources_.empty() ? kNever : sources_[first_].next(); }

  /// Accepts or vetoes the candidates before `end`, up to the first that is accepted. Returns this trigger,
  /// or nullopt if all candidates before `end` are vetoed.
  std::optional<Trigger> accept_before(Time end);

  /// Vetoes all candidates at or after `from`, until set_idle() is called. `from` may be in the future,
  /// because a veto may take time to arrive. A call during a veto has no effect. Before this call, call
  /// accept_before() with the current time until it returns nullopt.
  void set_busy(Time from);
  /// Ends the veto. Candidates at or after `now` are no longer vetoed as busy. If `now` is not after the time
  /// passed to set_busy(), nothing is vetoed. Before this call, call accept_before(now) until it returns
  /// nullopt.
  void set_idle(Time now);

  /// Number of accepted triggers, which is also the number of the next event.
  std::uint64_t accepted() const { return accepted_; }
  /// Counts of each source, in the order of the configuration.
  std::span<const TriggerCounts> counts() const { return counts_; }

 private:
  bool judge(Time t, TriggerCounts& counts);
  void find_first();

  std::vector<TriggerSource> sources_;
  std::vector<TriggerCounts> counts_;
  std::size_t first_ = 0;  ///< source of the next candidate
  Time dead_time_;
  Time dead_until_ = 0;
  Time busy_from_ = kNever;
  Time busy_until_ = kNever;
  std::uint64_t accepted_ = 0;
};

}  // namespace softfeb::detector
