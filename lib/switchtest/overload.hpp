// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/fill.hpp"

#include <cstdint>
#include <optional>
#include <vector>

/// The stimulus for switches that do not obey pause frames. Senders offer more load than a port can send. The
/// time for which a frame waited shows how many frames were ahead of it in the queue.
namespace softfeb::switchtest {

/// Overloads the queue to which a frame belongs. Several senders share the load, with exponential gaps.
class Overload {
 public:
  /// `frame` determines the overloaded port. All other ports except port D send. Port D sends only if the
  /// load of the other ports is not sufficient, because the switch probably pauses D.
  Overload(Context& ctx, FrameKind frame);

  /// True if the senders can offer enough load to overload the port.
  bool possible() const { return excess_ >= kLeastExcess; }
  /// Measures the delays of frames that do not wait. Returns false if no trial was valid, or if frames were
  /// lost.
  bool calibrate();
  /// Adds the overload to a plan. The overload lasts longer than is necessary to fill the queue with `frames`
  /// frames.
  void add(FillPlan& plan, std::uint64_t frames) const;
  /// Returns the number of frames in the full queue, including the last admitted frame. The result is an
  /// interval if times are not exact. Returns std::nullopt if no frame was lost, because the queue was then
  /// not full.
  std::optional<FrameCount> depth(const FillResult& result) const;
  /// True if the switch paused a sender, so that some frames may have been in headroom.
  bool paused(const FillResult& result) const;
  /// Overloads the port until frames are lost, while no other queue holds frames. Returns std::nullopt if no
  /// trial was valid. `first` is an estimate of the number of frames that the queue holds.
  std::optional<Capacity> capacity(std::uint64_t first = 64);

 private:
  static constexpr double kLeastExcess = 0.25, kOffered = 1.6;

  struct Sender {
    std::uint16_t port = 0;
    Time gap = 0;       ///< mean time from the start of a frame to the start of the next
    Time on_wires = 0;  ///< time that a frame takes on both links
    Time unloaded = 0;  ///< delay of a frame that does not wait
  };

  void choose_senders(bool with_d);
  Time duration(std::uint64_t frames) const;
  /// Returns the waiting times of frames that arrived and departed while the queue was full, in ascending
  /// order. A waiting time is the delay of a frame minus the member `unloaded` of its Sender.
  std::vector<Time> waits_while_full(const FillResult& result, Time Sender::*unloaded) const;
  std::optional<FillResult> run_alone(std::uint64_t frames);

  Context& ctx_;
  FrameKind frame_;
  Time slot_ = 0;  ///< time that a frame takes on the wire of the overloaded port
  std::vector<Sender> senders_;
  Time noise_ = 0;     ///< variation that the rig adds to the delays of frames that do not wait
  double excess_ = 0;  ///< load offered beyond the rate of the port, in units of that rate
};

}  // namespace softfeb::switchtest
