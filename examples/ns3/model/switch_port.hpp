// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "ethernet_device.hpp"
#include "fabric/config.hpp"
#include "fabric/snapshot.hpp"
#include "roce/mac_control.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <utility>

#include <ns3/event-id.h>
#include <ns3/packet.h>
#include <ns3/ptr.h>

namespace softfeb::ns3model {

/// Returns uniformly distributed random numbers in [0, 1), which decide about marks.
using MarkingNumbers = std::function<double()>;

/// A frame in an egress queue.
struct QueuedFrame {
  ns3::Ptr<ns3::Packet> frame;
  std::uint32_t length = 0;
  std::uint8_t queue = 0;
  std::size_t ingress = 0;  ///< port through which the frame arrived
  std::uint8_t ingress_class = 0;
  bool headroom = false;  ///< the frame is in the headroom of its ingress port
};

/// The state of a port of an EcnSwitch: egress queues with their scheduler, pauses in both directions, and
/// the bytes that arrived through the port and are still in the buffer.
class SwitchPort {
 public:
  static constexpr std::size_t kQueues = fabric::kQueues;

  SwitchPort(const fabric::SwitchConfig& config, ns3::Ptr<EthernetDevice> device,
             roce::PauseMode flow_control, MarkingNumbers numbers, const roce::MacAddress& pause_to);

  void push(QueuedFrame frame);
  /// Takes the next frame that may leave at `now`. Call it only if may_send() is true.
  QueuedFrame pop(Time now);
  bool may_send(Time now) const { return (waiting_ & open(now)) != 0; }
  bool empty() const { return waiting_ == 0; }
  std::uint64_t bytes() const { return total_; }
  std::uint64_t bytes_of(std::size_t queue) const { return bytes_[queue]; }
  /// Number of data frames and of pause frames that wait.
  std::size_t size() const;

  /// Obeys a pause frame of the neighbour.
  void told(const roce::MacControl& pause, Time now);
  /// Returns the earliest time at which a waiting frame may leave. Call it only if frames wait (not empty()),
  /// but may_send() is false.
  Time opens_at() const;

  /// Decides whether to mark a frame that finds `queued` bytes in its queue.
  bool marks(const fabric::EcnMarking& ecn, std::uint64_t queued);

  // State that the switch manages.
  ns3::Ptr<EthernetDevice> device;
  roce::PauseMode flow_control;
  roce::MacAddress pause_to;
  std::deque<ns3::Ptr<ns3::Packet>> control;  ///< pause frames, which leave first
  std::array<std::uint64_t, kQueues> held{};  ///< bytes in the buffer that came through this port, by class
  std::array<std::uint64_t, kQueues> headroom{};  ///< the part of `held` in the headroom
  std::uint8_t stopped = 0;                       ///< bit mask of classes that the neighbour must not send
  std::uint8_t mentioned = 0;                     ///< bit mask of classes that pause frames have mentioned
  ns3::EventId renewal;                           ///< repeats the pauses that the port has announced
  ns3::EventId resumption;                        ///< the end of the neighbour's pause
  std::optional<std::pair<std::uint32_t, std::uint32_t>> ranks;  ///< see EcnSwitch::set_ranks()
  fabric::PortSnapshot counters;

  /// Counts the time for which frames waited although the transmitter was free, because the neighbour had
  /// paused them.
  void block(Time now) { blocked_since_ = std::min(blocked_since_, now); }
  void unblock(Time now) {
    if (blocked_since_ != kNever) counters.paused += now - blocked_since_;
    blocked_since_ = kNever;
  }
  Time blocked_since() const { return blocked_since_; }

 private:
  std::uint8_t open(Time now) const;
  std::uint8_t choose(std::uint8_t candidates);

  std::array<std::deque<QueuedFrame>, kQueues> queues_;
  std::array<std::uint64_t, kQueues> bytes_{};
  std::array<std::uint64_t, kQueues> quantum_{};  ///< bytes per round; 0 means strict priority
  std::array<std::uint64_t, kQueues> deficit_{};
  std::uint32_t overhead_;
  std::uint64_t total_ = 0;
  std::uint8_t waiting_ = 0;
  std::uint8_t turn_ = 0;
  std::array<Time, kQueues> paused_until_{};
  Time blocked_since_ = kNever;
  MarkingNumbers numbers_;
};

}  // namespace softfeb::ns3model
