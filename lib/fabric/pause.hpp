// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"
#include "fabric/shared_buffer.hpp"
#include "roce/mac_control.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace softfeb::fabric {

/// Pause state of a transmitter: the time until which each queue is paused.
class PauseState {
 public:
  PauseState(PauseMode honours, std::uint64_t rate) : honours_(honours), rate_(rate) {}

  /// Handles a received pause frame. Ignores the frame if its kind (802.3x or PFC) differs from that of the
  /// link.
  void told(const roce::MacControl& pause, Time now);
  /// End of the latest pause of this queue, which may be in the past; 0 if the queue was never paused.
  Time until(std::size_t queue) const { return until_[queue]; }
  /// Bit mask of the queues that may send at `now`.
  std::uint8_t open(Time now) const { return now >= all_open_ ? 0xff : open_slowly(now); }
  /// Makes open() include the queues in the bit mask `queues` even while they are paused. Replaces the mask
  /// of the previous call.
  void ignore(std::uint8_t queues) { ignored_ = queues; }
  /// Earliest time at which a queue in the bit mask `waiting` may send. Requires that all of these queues are
  /// paused.
  Time opens_at(std::uint8_t waiting) const;

 private:
  std::uint8_t open_slowly(Time now) const;

  Time all_open_ = 0;  ///< the latest time in until_; the first member, because every frame uses it
  PauseMode honours_;
  std::uint64_t rate_;
  std::array<Time, kQueues> until_{};
  std::uint8_t ignored_ = 0;  ///< bit mask of queues whose pauses are ignored
};

/// Decides when a port pauses and resumes its neighbour, based on the number of buffered bytes that arrived
/// through the port.
class PauseSender {
 public:
  PauseSender(PauseMode kind, const PauseThresholds& thresholds, std::uint64_t rate)
      : kind_(kind), thresholds_(thresholds), rate_(rate) {}

  // In all functions below, `free` is the number of unused bytes of the shared buffer, on which dynamic
  // thresholds depend.

  /// Call after frames of `ingress_class` have been buffered. Returns an XOFF frame if the class must be
  /// paused and is not paused yet.
  std::optional<roce::MacControl> filled(const IngressAccount& account, std::uint8_t ingress_class,
                                         std::uint64_t free, Time now);
  /// Call after frames of `ingress_class` have left. Returns an XON frame if the class is paused and may
  /// resume.
  std::optional<roce::MacControl> emptied(const IngressAccount& account, std::uint8_t ingress_class,
                                          std::uint64_t free);
  /// With a dynamic threshold, returns the smallest number of free bytes at which the class may resume,
  /// provided that its account does not change. Returns UINT64_MAX if the class is not paused, or if it
  /// cannot resume with this account.
  std::uint64_t resumes_at(const IngressAccount& account, std::uint8_t ingress_class) const;
  /// Returns the frame that repeats the current pauses. This frame must be sent at renew_at().
  roce::MacControl renewal(Time now);
  Time renew_at() const { return renew_at_; }
  /// Call if a pause frame could not be allocated. Another attempt is made after 1 µs.
  void failed(Time now) { renew_at_ = now + kMicrosecond; }

 private:
  roce::MacControl what_is() const;
  bool is_full(std::uint64_t bytes, std::uint64_t free) const;
  std::uint64_t free_for(std::uint64_t bytes) const;

  PauseMode kind_;
  PauseThresholds thresholds_;
  std::uint64_t rate_;
  std::uint8_t stopped_ = 0;  ///< bit mask of paused classes
  std::uint8_t spoken_of_ = 0;
  Time renew_at_ = kNever;
};

}  // namespace softfeb::fabric
