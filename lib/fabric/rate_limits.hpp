// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "fabric/config.hpp"
#include "fabric/wire_time.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace softfeb::fabric {

/// Measures whether traffic conforms to a rate: the virtual scheduling form of the generic cell rate
/// algorithm (ITU-T I.371, annex A), with frames of any length in place of cells. Equivalent to a token
/// bucket of `burst` bytes that may go into debt for a frame.
class RateMeter {
 public:
  /// `rate` is in bytes per second, from 1 to 10^12, and `burst` in bytes. A burst that takes longer than
  /// kNever / 2 at this rate is shortened to this time.
  RateMeter(std::uint64_t rate, std::uint64_t burst);

  /// Earliest time at which the next frame conforms to the rate.
  Time conforms_at() const { return expected_ > tolerance_ ? expected_ - tolerance_ : 0; }
  /// Counts a frame of `bytes` bytes, at most 2^23.
  void count(std::uint64_t bytes, Time now) {
    expected_ = (expected_ > now ? expected_ : now) + time_.next(bytes);
  }

 private:
  WireTime time_;
  Time tolerance_;
  Time expected_ = 0;  ///< theoretical arrival time of the next frame
};

/// The rate limits of a port and of its queues.
class RateLimits {
 public:
  explicit RateLimits(const SwitchConfig& config);

  /// True if a switch has any rate limits.
  static bool needed(const SwitchConfig& config);

  /// Returns the subset of the queues `candidates` (a bit mask) from which the port may send at `now`. If any
  /// of these queues are below their guaranteed rates, the result contains only one queue: the one with the
  /// highest number among the queues below their guaranteed rates. The result is 0 if no queue may send.
  std::uint8_t open(std::uint8_t candidates, Time now) const;
  /// Earliest time at which the limits permit the port to send from a queue.
  Time opens_at(std::size_t queue) const;
  /// Counts a frame of `length` bytes (without FCS) that leaves `queue` at `now`.
  void sent(std::size_t queue, std::uint32_t length, Time now);

 private:
  struct Queue {
    std::optional<RateMeter> min, max;
  };

  std::uint32_t overhead_;
  std::optional<RateMeter> port_;
  std::array<Queue, kQueues> queues_;
  std::uint8_t limited_ = 0;     ///< bit mask of queues with a maximum rate
  std::uint8_t guaranteed_ = 0;  ///< bit mask of queues with a guaranteed rate
};

/// Bytes that a scheduler counts for a frame of `length` bytes (without FCS).
constexpr std::uint64_t scheduled_bytes(std::uint32_t length, std::uint32_t overhead) {
  return wire_bytes(length) - roce::kWireOverhead + overhead;
}

}  // namespace softfeb::fabric
