// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/fill.hpp"

#include <cstdint>
#include <optional>
#include <vector>

/// The stimulus where no pause stops the switch: senders offer more than a port can send, and the time that a
/// frame waited tells how many frames it found in its queue.
namespace softfeb::switchtest {

/// Overloads the queue of a frame. Several senders share the load with exponential gaps.
class Overload {
 public:
  /// `frame` says to which port. All other ports send; D only if the others do not suffice, because it is
  /// likely to be paused.
  Overload(Context& ctx, FrameKind frame);

  /// True if the senders can offer enough.
  bool possible() const { return excess_ >= kLeastExcess; }
  /// Measures the delays of frames that do not wait. False: no trial was valid, or frames were lost.
  bool calibrate();
  /// Adds the overload to a plan: as long as `frames` frames need to fill the queue, and longer.
  void add(FillPlan& plan, std::uint64_t frames) const;
  /// The number of frames in the queue when it is full, including the last to be admitted: an interval if
  /// times are not exact. nullopt: no frame was lost, so that the queue was not full.
  std::optional<FrameCount> depth(const FillResult& result) const;
  /// True if the switch paused a sender, so that the queue may also have held headroom.
  bool paused(const FillResult& result) const;
  /// Overloads the port while no other queue is filled, until frames are lost. nullopt: no trial was valid.
  /// `first`: about as many frames as the queue may hold.
  std::optional<Capacity> capacity(std::uint64_t first = 64);

 private:
  static constexpr double kLeastExcess = 0.25, kOffered = 1.6;

  struct Sender {
    std::uint16_t port = 0;
    Time gap = 0;       ///< mean
    Time on_wires = 0;  ///< time of a frame on both links
    Time unloaded = 0;  ///< delay of a frame that does not wait
  };

  void choose_senders(bool with_d);
  Time duration(std::uint64_t frames) const;
  /// How long frames waited that arrived and departed while the queue was full, in ascending order.
  /// `unloaded` is what is subtracted from delays.
  std::vector<Time> waits_while_full(const FillResult& result, Time Sender::*unloaded) const;
  std::optional<FillResult> run_alone(std::uint64_t frames);

  Context& ctx_;
  FrameKind frame_;
  Time slot_ = 0;  ///< time of a frame on the wire of the overloaded port
  std::vector<Sender> senders_;
  Time noise_ = 0;     ///< of the rig, in the delays of frames that do not wait
  double excess_ = 0;  ///< load offered beyond the rate of the port, in units of that rate
};

}  // namespace softfeb::switchtest
