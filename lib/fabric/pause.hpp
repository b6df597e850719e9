// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"
#include "fabric/shared_buffer.hpp"
#include "roce/mac_control.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace softfeb::fabric {

/// What a port's transmitter was told by its neighbour: until when each queue is to be silent.
class PauseState {
 public:
  PauseState(PauseKind honours, std::uint64_t rate) : honours_(honours), rate_(rate) {}

  /// A pause frame arrived. Other kinds than the link's are not for us.
  void told(const roce::MacControl& pause, Time now);
  /// When this queue may send; in the past where it may.
  Time until(std::size_t queue) const { return until_[queue]; }
  /// Queues that may send at `now`, bit by bit.
  std::uint8_t open(Time now) const { return now >= all_open_ ? 0xff : open_slowly(now); }
  /// When one of `waiting` may send that may not at `now`.
  Time opens_at(std::uint8_t waiting) const;

 private:
  std::uint8_t open_slowly(Time now) const;

  PauseKind honours_;
  std::uint64_t rate_;
  std::array<Time, kQueues> until_{};
  Time all_open_ = 0;  ///< the last of until_
};

/// When a port tells its neighbour to stop and to go on, by what came in through it.
class PauseSender {
 public:
  PauseSender(PauseKind kind, const PauseThresholds& thresholds, std::uint64_t rate)
      : kind_(kind), thresholds_(thresholds), rate_(rate) {}

  /// The frame to send now that more of `ingress_class` came in: stop, if it was not said before.
  std::optional<roce::MacControl> filled(const IngressAccount& account, std::uint8_t ingress_class, Time now);
  /// The frame to send now that some of it left: go on, if it was told to stop.
  std::optional<roce::MacControl> emptied(const IngressAccount& account, std::uint8_t ingress_class);
  /// The frame that says once more who is to be silent; due at renew_at().
  roce::MacControl renewal(Time now);
  Time renew_at() const { return renew_at_; }
  /// A frame could not be made: it will be tried again.
  void failed(Time now) { renew_at_ = now + kMicrosecond; }

 private:
  roce::MacControl what_is() const;

  PauseKind kind_;
  PauseThresholds thresholds_;
  std::uint64_t rate_;
  std::uint8_t stopped_ = 0;  ///< classes, bit by bit
  std::uint8_t spoken_of_ = 0;
  Time renew_at_ = kNever;
};

}  // namespace softfeb::fabric
