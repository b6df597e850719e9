// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <ns3/channel.h>
#include <ns3/net-device.h>
#include <ns3/nstime.h>
#include <ns3/packet.h>
#include <ns3/ptr.h>
#include <ns3/type-id.h>

namespace softfeb::ns3model {

class EthernetDevice;

/// A full-duplex link between two EthernetDevices. The attribute `Delay` is the propagation delay.
class EthernetChannel : public ns3::Channel {
 public:
  static ns3::TypeId GetTypeId();

  /// Adds an end of the link, which has two ends. Called by EthernetDevice::attach().
  void attach(ns3::Ptr<EthernetDevice> device);
  /// Carries a frame to the other end. The last bit of the frame leaves `from` after `duration`.
  void carry(const EthernetDevice& from, const ns3::Ptr<ns3::Packet>& frame, ns3::Time duration);
  /// Number of frames on the link, in both directions. EthernetDevice calls arrived() for each of them.
  std::uint64_t under_way() const { return under_way_; }
  void arrived() { --under_way_; }

  std::size_t GetNDevices() const override;
  ns3::Ptr<ns3::NetDevice> GetDevice(std::size_t i) const override;

 private:
  void DoDispose() override;

  std::array<ns3::Ptr<EthernetDevice>, 2> ends_;
  std::size_t count_ = 0;
  std::uint64_t under_way_ = 0;
  ns3::Time delay_;
};

}  // namespace softfeb::ns3model
