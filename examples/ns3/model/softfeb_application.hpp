// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "engine/demux.hpp"
#include "engine/endpoint.hpp"
#include "engine/tx_frame.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <ns3/address.h>
#include <ns3/application.h>
#include <ns3/event-id.h>
#include <ns3/net-device.h>
#include <ns3/packet.h>
#include <ns3/ptr.h>
#include <ns3/type-id.h>

namespace softfeb::ns3model {

/// Runs one of softfeb's endpoints, a board or a receiver, on an ns-3 node. Its frames pass through a
/// NetDevice of this node that can send frames with any Ethernet type and source address
/// (NetDevice::SupportsSendFrom()). simulated_time.hpp states which time resolution ns-3 must have.
class SoftfebApplication : public ns3::Application {
 public:
  /// Number of frames that the endpoint may send in one iteration.
  static constexpr std::size_t kBurst = 8;

  static ns3::TypeId GetTypeId();
  SoftfebApplication();

  /// `endpoint` must outlive the application.
  void set_endpoint(engine::Endpoint& endpoint);
  void set_device(ns3::Ptr<ns3::NetDevice> device) { device_ = device; }
  /// If `ordered` is true, frames that arrive at a time are processed before the endpoint sends at that time,
  /// as in softfeb's own simulator. By default, events have the order in which they were scheduled in ns-3.
  void set_ordered(bool ordered) { ordered_ = ordered; }
  /// Sends the frames that are due. Call it after changing the endpoint, for example after Board::start().
  void serve();

  /// Number of frames that the endpoint sent.
  std::uint64_t sent() const { return sent_; }
  /// Number of frames that the device delivered, and number of delivered frames that were not for the
  /// endpoint.
  std::uint64_t delivered() const { return delivered_; }
  std::uint64_t passed_over() const { return passed_over_; }

 private:
  void StartApplication() override;
  void StopApplication() override;
  void DoDispose() override;
  void receive(ns3::Ptr<ns3::NetDevice> device, ns3::Ptr<const ns3::Packet> packet, std::uint16_t protocol,
               const ns3::Address& from, const ns3::Address& to, ns3::NetDevice::PacketType type);
  bool accept(const std::vector<std::uint8_t>& bytes, Time at);
  void send(const engine::TxFrame& frame);
  void wake_at(Time at);
  void woken();

  engine::Endpoint* endpoint_ = nullptr;
  engine::Demux own_;  ///< selects the frames for the endpoint
  ns3::Ptr<ns3::NetDevice> device_;
  ns3::EventId wake_;
  Time wake_time_ = kNever;
  bool ordered_ = false;
  std::array<std::array<std::uint8_t, engine::TxFrame::kHeaderRoom>, kBurst> headers_{};
  std::array<engine::TxFrame, kBurst> out_{};
  /// Bytes of the frame that is being received or sent; the memory is reused.
  std::vector<std::uint8_t> bytes_;
  std::uint64_t sent_ = 0, delivered_ = 0, passed_over_ = 0;
};

}  // namespace softfeb::ns3model
