// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "detector/camera_busy.hpp"
#include "detector/trigger_message.hpp"
#include "detector/trigger_sequence.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace softfeb::detector {

struct TriggerServerConfig {
  std::vector<TriggerSourceConfig> sources;
  Time dead_time = 0;
  std::uint32_t boards = 0;
  Time busy_delay = 0;    ///< from a busy message to the veto
  std::uint32_t run = 0;  ///< number of the run
  EventTime origin;       ///< TAI at time 0
  Time end = kNever;      ///< no trigger at or after this time
};

/// Sends the triggers of a detector to its boards as messages, and vetoes them while boards report that they
/// are busy. A busy board repeats its report; one that does not for `kForget` is idle, because the message
/// that said so was lost. Times are those since the beginning of the run. Sans-I/O; only the constructor
/// allocates. Times of calls must not decrease.
class TriggerServer {
 public:
  static constexpr Time kForget = 50 * kMillisecond;

  /// Throws std::invalid_argument, see TriggerSource.
  explicit TriggerServer(const TriggerServerConfig& config);

  /// Returns the message of the next trigger before `now`, for all boards; nullopt if there is none. Call
  /// until it returns nullopt.
  std::optional<TriggerMessage> next_message(Time now);
  /// Time of the next trigger that may be accepted, or at which a busy board is forgotten; kNever if there is
  /// neither. May be too early.
  Time next_event() const;
  /// True if no trigger will follow.
  bool over() const { return sequence_.next() >= config_.end; }
  /// The run ends at `now`, if not before.
  void end(Time now) { config_.end = std::min(config_.end, now); }
  /// The message at the end of the run.
  TriggerMessage end_message(Time now) const;

  /// A board reports that it is busy, or no longer.
  void receive(const BusyMessage& message, Time now);

  EventTime origin() const { return config_.origin; }
  std::uint64_t accepted() const { return sequence_.accepted(); }
  std::span<const TriggerCounts> counts() const { return sequence_.counts(); }
  Time busy_time(Time now) const { return busy_.busy_time(now); }
  /// Messages of boards or runs that do not exist.
  std::uint64_t rejected() const { return rejected_; }
  /// Busy boards that were forgotten.
  std::uint64_t forgotten() const { return forgotten_; }

 private:
  void forget(Time now);

  TriggerServerConfig config_;
  TriggerSequence sequence_;
  CameraBusy busy_;
  std::vector<Time> busy_until_;  ///< indexed by board; 0: not busy
  Time forget_at_ = kNever;       ///< not after the first of them
  std::uint64_t rejected_ = 0;
  std::uint64_t forgotten_ = 0;
};

}  // namespace softfeb::detector
