// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/rng.hpp"
#include "fabric/config.hpp"
#include "fabric/frame_list.hpp"
#include "fabric/snapshot.hpp"
#include "fabric/wire_time.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace softfeb::fabric {

/// One direction of a link. A frame occupies the wire for a time equal to the frame's wire length divided by
/// the rate. It arrives when its last bit reaches the other end. All frames have the same delay and arrive in
/// order, except those that a fault delays.
class Wire {
 public:
  Wire(std::uint64_t rate, Time delay, const LinkFaults& faults, Rng rng)
      : time_(rate), delay_(delay), faults_(faults), faulty_(faults.any()), rng_(rng) {}

  /// Time at which the transmitter becomes free.
  Time free_at() const { return free_at_; }

  /// Transmits `frame`. Its first bit leaves at `now`, which must not be before free_at(). Returns false if a
  /// fault drops the frame; the caller then owns the frame again.
  bool transmit(Frame* frame, Time now, FrameStore& store, NetworkTotals& totals) {
    free_at_ = now + time_.next(wire_bytes(frame->length));
    frame->at = free_at_ + delay_;
    if (faulty_) return transmit_faulty(frame, store, totals);
    under_way_.push(frame);
    return true;
  }

  /// Arrival time of the next frame; kNever: there is none.
  Time next_arrival() const { return std::min(front_time(under_way_), front_time(late_)); }
  /// Removes and returns the next frame to arrive. Requires a frame on the wire.
  Frame* arrive() { return front_time(late_) < front_time(under_way_) ? late_.pop() : under_way_.pop(); }
  std::size_t size() const { return under_way_.size() + late_.size(); }

 private:
  static Time front_time(const FrameList& list) { return list.empty() ? kNever : list.front()->at; }
  bool transmit_faulty(Frame* frame, FrameStore& store, NetworkTotals& totals);

  WireTime time_;
  Time delay_;
  Time free_at_ = 0;
  FrameList under_way_;
  FrameList late_;
  LinkFaults faults_;
  bool faulty_;
  Rng rng_;
};

}  // namespace softfeb::fabric
