// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ethernet_device.hpp"
#include "fabric/config.hpp"
#include "frame_fields.hpp"
#include "switch_port.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <ns3/mac48-address.h>
#include <ns3/object.h>
#include <ns3/packet.h>
#include <ns3/ptr.h>
#include <ns3/type-id.h>

namespace softfeb::ns3model {

/// A store-and-forward switch with a shared buffer, ECN marking and pause frames (802.3x and PFC). Its ports
/// are EthernetDevices. The switch implements the model of doc/fabric.md without code of lib/fabric, so that
/// the results of lib/fabric can be checked against it. It learns addresses, so links must not form a loop.
///
/// A `fabric::SwitchConfig` describes the switch.
class EcnSwitch : public ns3::Object {
 public:
  static ns3::TypeId GetTypeId();
  /// Throws std::invalid_argument for settings that this switch does not have (unsupported()).
  explicit EcnSwitch(const fabric::SwitchConfig& config = {});

  /// Adds a port. The device must already have its channel and its address, which is the source address of
  /// the port's pause frames. `pause_to` is the destination address of these frames, by default the group
  /// address. Throws std::invalid_argument if the port has flow control, but the switch has no threshold for
  /// pauses.
  std::size_t add_port(ns3::Ptr<EthernetDevice> device, roce::PauseMode flow_control, MarkingNumbers numbers,
                       const roce::MacAddress& pause_to = roce::kPauseAddress);
  /// Sets the order of events that take place at the same time: those with lower ranks come first. `arrival`
  /// is the rank of the arrival of a frame at the port, and `departure` is the rank of the event in which the
  /// port becomes free to send. Call this for all ports or for none. By default, events have the order in
  /// which they were scheduled in ns-3.
  void set_ranks(std::size_t port, std::uint32_t arrival, std::uint32_t departure);

  const SwitchPort& port(std::size_t i) const { return *ports_[i]; }
  SwitchPort& port(std::size_t i) { return *ports_[i]; }

  /// Number of frames that the switch made (pause frames), copied (flooding), consumed (pause frames of
  /// neighbours) or dropped, because the buffer was full or because no port was left to which the frame could
  /// be forwarded.
  struct Counters {
    std::uint64_t made = 0, copied = 0, consumed = 0, dropped_buffer = 0, dropped_unknown = 0;
  };
  const Counters& counters() const { return counters_; }

 private:
  /// An event of the present time that waits for its turn.
  struct Pending {
    std::uint32_t rank = 0;
    std::size_t port = 0;
    ns3::Ptr<ns3::Packet> frame;  ///< the frame that has arrived; null if the port has become free to send
  };

  void DoDispose() override;
  // Events of ports.
  void receive(std::size_t port, ns3::Ptr<ns3::Packet> frame);
  void become_free(std::size_t port);
  void wait_for_turn(Pending event);
  void handle_pending();
  ns3::Ptr<ns3::Packet> next(std::size_t port);
  ns3::Ptr<ns3::Packet> next_data(std::size_t port);
  // The path of a frame.
  void forward(std::size_t ingress, const ns3::Ptr<ns3::Packet>& frame);
  void flood(std::size_t ingress, const FrameFields& fields, const ns3::Ptr<ns3::Packet>& frame);
  void enqueue(std::size_t egress, std::size_t ingress, const FrameFields& fields,
               const ns3::Ptr<ns3::Packet>& frame);
  bool admit(const SwitchPort& egress, QueuedFrame& item);
  void release(const QueuedFrame& item);
  // Pause frames.
  void honour(std::size_t port, const ns3::Ptr<ns3::Packet>& frame);
  bool can_pause(std::size_t port, std::uint8_t queue) const;
  void pause(std::size_t port, std::uint8_t ingress_class);
  void resume(std::size_t port, std::uint8_t ingress_class);
  void announce(std::size_t port);
  void send_control(std::size_t port, const roce::MacControl& pause);

  fabric::SwitchConfig config_;
  std::vector<std::unique_ptr<SwitchPort>> ports_;
  std::map<ns3::Mac48Address, std::size_t> learnt_;
  std::uint64_t used_ = 0;  ///< bytes in the shared part of the buffer
  Counters counters_;
  std::vector<Pending> pending_;
};

}  // namespace softfeb::ns3model
