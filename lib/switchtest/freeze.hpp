// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::switchtest {

/// The stimulus of most memory tests: port D pauses the switch, so that a queue holds exactly the frames that
/// were sent, and then releases them.
class FreezeTrial {
 public:
  /// Freezes the queue of frames with this DSCP at `port`. Returns std::nullopt if the switch does not obey
  /// pauses from this port, or if no pause stops this DSCP.
  static std::optional<FreezeTrial> create(Context& ctx, std::uint16_t port, std::uint8_t dscp);

  Trial trial;

  /// Also freezes another port or another DSCP for the same time. Returns false if the switch does not obey.
  bool also(Context& ctx, std::uint16_t port, std::uint8_t dscp);

  /// Appends `count` frames of `kind` from `port`, after everything that has been appended. `gap` is the time
  /// from the start of a frame to the start of the next; 0 means back to back. The arrivals of the frames are
  /// recorded. Returns the index of the kind.
  std::uint16_t send(Context& ctx, std::uint16_t port, FrameKind kind, std::uint64_t count, Time gap = 0);
  /// Lets time pass before the next send().
  void wait(Time time) { end_ += time; }
  Time time() const { return end_; }  ///< time at which the frames of the next send() begin

  /// Ends the freeze, and extends the trial until `bytes` bytes (on the wire) can have left through the
  /// slowest frozen port.
  void release(const Context& ctx, std::uint64_t bytes);
  /// True if a frame arrived at a frozen port before the release. The freeze has then ended too early.
  bool lapsed(const TrialResult& result) const;
  Time released_at() const { return released_; }

 private:
  bool freezes(const Arrival& a) const;

  Time end_ = 0;
  Time released_ = 0;
};

}  // namespace softfeb::switchtest
