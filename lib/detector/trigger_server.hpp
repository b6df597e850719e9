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
  Time busy_delay = 0;    ///< time from a busy message to the veto
  std::uint32_t run = 0;  ///< number of the run
  EventTime origin;       ///< TAI at time 0
  Time end = kNever;      ///< there are no triggers at or after this time
};

/// Sends the triggers of a detector to its boards as messages, and vetoes triggers while boards report that
/// they are busy. A busy board repeats its report. If a board has not repeated it for `kForget`, the board
/// counts as idle, because the message that reported the end of its busy state was probably lost. Times count
/// from the beginning of the run, and must not decrease from call to call. Sans-I/O; only the constructor
/// allocates.
class TriggerServer {
 public:
  static constexpr Time kForget = 50 * kMillisecond;

  /// Throws std::invalid_argument if a source is invalid (see TriggerSource).
  explicit TriggerServer(const TriggerServerConfig& config);

  /// Returns the message that announces the next trigger before `now` to all boards; nullopt if there is
  /// none. Call this function repeatedly until it returns nullopt.
  std::optional<TriggerMessage> next_message(Time now);
  /// Time at which the next trigger may be accepted or the next busy board is forgotten, whichever is
  /// earlier; kNever if neither is expected. The returned time may be too early.
  Time next_event() const;
  /// True if there will be no further trigger.
  bool over() const { return sequence_.next() >= config_.end; }
  /// Ends the run at `now`. Has no effect if the end of the run is already set to an earlier time.
  void end(Time now) { config_.end = std::min(config_.end, now); }
  /// Returns the message that announces the end of the run.
  TriggerMessage end_message(Time now) const;

  /// Call when a board reports that it has become busy, that it is still busy, or that it is no longer busy.
  void receive(const BusyMessage& message, Time now);

  EventTime origin() const { return config_.origin; }
  std::uint64_t accepted() const { return sequence_.accepted(); }
  std::span<const TriggerCounts> counts() const { return sequence_.counts(); }
  Time busy_time(Time now) const { return busy_.busy_time(now); }
  /// Number of messages from unknown boards or for another run.
  std::uint64_t rejected() const { return rejected_; }
  /// Number of times that a busy board was forgotten.
  std::uint64_t forgotten() const { return forgotten_; }

 private:
  void forget(Time now);

  TriggerServerConfig config_;
  TriggerSequence sequence_;
  CameraBusy busy_;
  std::vector<Time> busy_until_;  ///< time at which each board is forgotten; 0 if the board is not busy
  Time forget_at_ = kNever;       ///< the earliest time in busy_until_, or an earlier time
  std::uint64_t rejected_ = 0;
  std::uint64_t forgotten_ = 0;
};

}  // namespace softfeb::detector
