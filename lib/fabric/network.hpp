// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"
#include "fabric/frame.hpp"
#include "fabric/slice.hpp"
#include "fabric/snapshot.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

/// lib/fabric simulates the switches and links between boards and receivers. It is sans-I/O, so the same code
/// runs in real and in virtual time. It may include only faults, roce, congestion, latency and base. Begin
/// with Network here and NetworkConfig (config.hpp). network.cpp moves frames along links, and switching.cpp
/// moves them through switches; the files switch_*.cpp contain the other functions of switches. Forwarding,
/// queues, marking, the shared buffer and pause frames have one header each. doc/fabric.md describes the
/// model.
namespace softfeb::fabric {

/// Simulates switches, and the links between them and the stations. Sans-I/O, single owner, no allocation
/// after construction.
///
/// On each link, the time from the departure of a frame's first bit to the arrival of its last bit is the
/// frame's wire length divided by the rate, plus the link's delay. Switches are store-and-forward, unless
/// SwitchTimes::cut_through is true.
class Network {
 public:
  struct Delivery {
    std::uint32_t station = 0;
    Frame* frame = nullptr;  ///< owned by the caller of run()
    Time at = 0;             ///< arrival time of the frame's last bit, at most `now`
  };

  /// `store` must outlive the network. With a slice, the network simulates only the nodes of the slice. No
  /// link between two slices may have a fault rule that holds frames.
  Network(const NetworkConfig& config, FrameStore& store, const Slice* slice = nullptr);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// Sends a frame from `station` at `now`. The frame leaves after the frames that are already queued at the
  /// station, but may overtake frames of paused priorities. The network takes ownership of the frame.
  void send(std::uint32_t station, Frame* frame, Time now);
  /// Processes all events up to `now` in chronological order and puts the frames delivered to stations into
  /// `out`. Returns the number of these frames. If `out` is full afterwards, call run() again with the same
  /// `now`.
  std::size_t run(Time now, std::span<Delivery> out);
  /// Earliest time at which run() has work, provided that no station sends a frame before then; kNever if
  /// there is no such time.
  Time next_event() const;

  /// Returns a snapshot with room for all ports and flows, so that take_snapshot() does not allocate.
  NetworkSnapshot make_snapshot() const;
  /// Fills `out`. Then restarts the maxima that cover the time since the previous snapshot
  /// (PortSnapshot::queue_bytes_peak).
  void take_snapshot(NetworkSnapshot& out, Time now);

  /// Makes the network report to `stamps` when frames with a nonzero Frame::message leave a station, enter a
  /// switch or leave a switch. `stamps` must outlive the network.
  void report_times(latency::Stamps& stamps);

  const NetworkConfig& config() const;

  // The functions below exchange frames with the other slices of the network.

  /// A frame on a link to another slice. `late` is true if a fault has delayed the frame.
  struct Departure {
    std::uint32_t direction = 0;  ///< direction of the link; see topology.hpp
    Frame* frame = nullptr;       ///< arrives at Frame::at; owned by the caller
    bool late = false;
    std::optional<FlowKey> flow;
    /// Arrival time. With cut-through, the header arrives before Frame::at. enter() does not use this member.
    Time arrives = 0;
  };
  /// Removes the next frame from the links to other slices; nullopt if there is none. A frame that was sent
  /// after time t arrives (Departure::arrives) later than t plus the delay of its link.
  std::optional<Departure> depart();
  /// Accepts a frame that has departed from another slice and arrives at Frame::at, which must not be in the
  /// past. Frames of one direction must enter in the order in which they departed. Returns the arrival time
  /// (Departure::arrives).
  Time enter(const Departure& departure);
  /// True if frames leave the slice in this direction.
  bool leaves(std::uint32_t direction) const;

  /// Flows in the order in which this network has first seen them.
  std::span<const FlowSnapshot> flows() const;
  /// The event that is being processed or was processed last: the time of the event, and the direction of
  /// the link to which it belongs.
  struct Moment {
    Time at = 0;
    std::uint32_t direction = 0;
  };
  const Moment& moment() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace softfeb::fabric
