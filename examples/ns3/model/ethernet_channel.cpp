// SPDX-License-Identifier: BSD-3-Clause
#include "ethernet_channel.hpp"

#include "ethernet_device.hpp"

#include <stdexcept>

#include <ns3/node.h>
#include <ns3/simulator.h>

namespace softfeb::ns3model {

ns3::TypeId EthernetChannel::GetTypeId() {
  static const ns3::TypeId id =
      ns3::TypeId("softfeb::EthernetChannel")
          .SetParent<ns3::Channel>()
          .AddConstructor<EthernetChannel>()
          .AddAttribute("Delay", "Propagation delay", ns3::TimeValue(ns3::Time(0)),
                        ns3::MakeTimeAccessor(&EthernetChannel::delay_), ns3::MakeTimeChecker(ns3::Time(0)));
  return id;
}

void EthernetChannel::attach(ns3::Ptr<EthernetDevice> device) {
  if (count_ == ends_.size()) throw std::logic_error("an EthernetChannel has two ends, not three");
  ends_[count_++] = device;
}

void EthernetChannel::carry(const EthernetDevice& from, const ns3::Ptr<ns3::Packet>& frame,
                            ns3::Time duration) {
  const ns3::Ptr<EthernetDevice>& to = ends_[ns3::PeekPointer(ends_[0]) == &from ? 1 : 0];
  ++under_way_;
  ns3::Simulator::ScheduleWithContext(to->GetNode()->GetId(), duration + delay_, &EthernetDevice::arrive,
                                      ns3::PeekPointer(to), frame);
}

std::size_t EthernetChannel::GetNDevices() const { return count_; }

ns3::Ptr<ns3::NetDevice> EthernetChannel::GetDevice(std::size_t i) const { return ends_.at(i); }

void EthernetChannel::DoDispose() {
  ends_ = {};
  ns3::Channel::DoDispose();
}

}  // namespace softfeb::ns3model
