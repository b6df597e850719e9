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
#include <memory>
#include <vector>

namespace softfeb::fabric {

class LinkRules;

/// One direction of a link. A frame occupies the wire for a time equal to the frame's wire length divided by
/// the rate. It arrives when its last bit reaches the other end. All frames have the same delay and arrive in
/// order, except those that a fault delays.
class Wire {
 public:
  /// `rules` are the rules of `faults`; null if there are none.
  Wire(std::uint64_t rate, Time delay, const LinkFaults& faults, Rng rng,
       std::unique_ptr<LinkRules> rules = nullptr);
  ~Wire();
  Wire(Wire&&) noexcept;

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

  /// Makes frames arrive as soon as their first SwitchTimes::kHeader bytes have arrived, instead of when
  /// their last bit has arrived; Frame::at remains the arrival time of the last bit. A wire with faults
  /// ignores this call, because faults change the order of frames.
  void announce_headers() { headers_ = !faulty_; }
  /// Time from the arrival of a frame's header to the arrival of its last bit.
  Time after_header(std::uint32_t length) const {
    return time_.about(wire_bytes(length) - SwitchTimes::kHeader);
  }

  /// Arrival time of the next frame; kNever if there is none.
  Time next_arrival() const { return std::min(next_regular(), late_at_); }
  /// Removes and returns the next frame to arrive. Requires a frame on the wire.
  Frame* arrive() { return late_at_ < next_regular() ? arrive_late() : under_way_.pop(); }
  /// The next frame to arrive among the frames that no fault has delayed; null if there is none.
  const Frame* front() const { return under_way_.front(); }
  /// Removes and returns the next frame on the wire before it arrives; null if there is none. First returns
  /// all frames that no fault has delayed (`late` is false), then the delayed frames (`late` is true). The
  /// other slice of the network passes the frame to enter() of its copy of this wire. Requires that no rule
  /// can hold frames.
  Frame* leave(bool& late);
  /// Time at which a frame on this wire arrives: the arrival time of its last bit or, after
  /// announce_headers(), of its header.
  Time arrival(const Frame& frame) const {
    return headers_ ? frame.at - after_header(frame.length) : frame.at;
  }
  void enter(Frame* frame, bool late);
  /// Number of frames on the wire.
  std::size_t size() const;

  /// Counters of the rules, indexed like LinkFaults::rules; null if there are no rules.
  const std::vector<faults::RuleCounters>* rule_counters() const;

 private:
  class Exit;
  /// Random numbers of one frame.
  struct Random {
    bool drop = false, duplicate = false, corrupt = false, reorder = false;
    std::uint64_t bit = 0;
    Time later = 0;
  };

  /// Arrival time of the next frame that no fault has delayed; kNever if there is none.
  Time next_regular() const {
    const Time last_bit = under_way_.front_time();
    return headers_ && last_bit != kNever ? last_bit - after_header(under_way_.front()->length) : last_bit;
  }
  bool transmit_faulty(Frame* frame, FrameStore& store, NetworkTotals& totals);
  Random draw();
  bool pass_random(Frame* frame, const Random& random, FrameStore& store, NetworkTotals& totals);
  Frame* arrive_late();
  void find_late();

  // The members that every frame uses come first.
  WireTime time_;
  Time delay_;
  Time free_at_ = 0;
  FrameList under_way_;
  /// Arrival time of the first frame that a random fault or a rule has delayed; kNever if there is none.
  Time late_at_ = kNever;
  bool random_;  ///< there are random faults
  bool faulty_;  ///< there are random faults or rules
  bool headers_ = false;
  FrameList late_;                                      ///< frames that random faults delay
  std::uint64_t drop_, duplicate_, corrupt_, reorder_;  ///< probabilities of random faults
  Time reorder_by_;
  Rng rng_;
  std::unique_ptr<LinkRules> rules_;
};

}  // namespace softfeb::fabric
