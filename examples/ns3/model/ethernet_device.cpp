// SPDX-License-Identifier: BSD-3-Clause
#include "ethernet_device.hpp"

#include <algorithm>

#include <ns3/data-rate.h>
#include <ns3/ethernet-header.h>
#include <ns3/simulator.h>
#include <ns3/trace-source-accessor.h>
#include <ns3/uinteger.h>

namespace softfeb::ns3model {

namespace {

constexpr std::uint64_t kPicosecondsPerSecond = 1'000'000'000'000;
constexpr std::uint32_t kFcs = 4;
constexpr std::uint32_t kLeastFrame = 64;  // including the FCS
constexpr std::uint32_t kPreambleAndGap = 8 + 12;

}  // namespace

ns3::TypeId EthernetDevice::GetTypeId() {
  static const ns3::TypeId id =
      ns3::TypeId("softfeb::EthernetDevice")
          .SetParent<ns3::NetDevice>()
          .AddConstructor<EthernetDevice>()
          .AddAttribute("Rate", "Bits per second", ns3::UintegerValue(10'000'000'000),
                        ns3::MakeUintegerAccessor(&EthernetDevice::bits_per_second_),
                        ns3::MakeUintegerChecker<std::uint64_t>(8))
          .AddAttribute("Mtu", "Largest IP packet", ns3::UintegerValue(4200),
                        ns3::MakeUintegerAccessor(&EthernetDevice::mtu_),
                        ns3::MakeUintegerChecker<std::uint16_t>())
          .AddAttribute("MaxBytes", "Bytes that may wait in the queue", ns3::UintegerValue(1U << 22),
                        ns3::MakeUintegerAccessor(&EthernetDevice::max_bytes_),
                        ns3::MakeUintegerChecker<std::uint64_t>())
          .AddTraceSource("PhyTxBegin", "The first bit of a frame leaves",
                          ns3::MakeTraceSourceAccessor(&EthernetDevice::sent_),
                          "softfeb::EthernetDevice::SentCallback")
          .AddTraceSource("PhyRxEnd", "The last bit of a frame has arrived",
                          ns3::MakeTraceSourceAccessor(&EthernetDevice::received_),
                          "ns3::Packet::TracedCallback")
          .AddTraceSource("MacTxDrop", "The queue is full",
                          ns3::MakeTraceSourceAccessor(&EthernetDevice::dropped_trace_),
                          "ns3::Packet::TracedCallback");
  return id;
}

void EthernetDevice::attach(ns3::Ptr<EthernetChannel> channel) {
  channel_ = channel;
  channel->attach(this);
}

std::uint64_t EthernetDevice::wire_bytes(std::uint32_t length) {
  return std::max(length + kFcs, kLeastFrame) + kPreambleAndGap;
}

/// Returns the transmission time of a frame. The remaining fraction of a picosecond is added to the time of
/// the next frame, so the rate does not drift.
ns3::Time EthernetDevice::duration(std::uint32_t length) {
  const std::uint64_t total = wire_bytes(length) * 8 * kPicosecondsPerSecond + remainder_;
  remainder_ = total % bits_per_second_;
  return ns3::PicoSeconds(total / bits_per_second_);
}

bool EthernetDevice::send_frame(const ns3::Ptr<ns3::Packet>& frame) {
  if (queued_bytes_ + frame->GetSize() > max_bytes_) {
    ++dropped_;
    dropped_trace_(frame);
    return false;
  }
  queued_bytes_ += frame->GetSize();
  queue_.push_back(frame);
  pull();
  return true;
}

ns3::Ptr<ns3::Packet> EthernetDevice::next() {
  if (!source_.IsNull()) return source_();
  if (queue_.empty()) return nullptr;
  ns3::Ptr<ns3::Packet> frame = queue_.front();
  queue_.pop_front();
  queued_bytes_ -= frame->GetSize();
  return frame;
}

void EthernetDevice::pull() {
  if (busy_) return;
  busy_ = true;  // before next(), because next() calls the source, which may call pull() again
  const ns3::Ptr<ns3::Packet> frame = next();
  if (frame == nullptr) {
    busy_ = false;
    return;
  }
  const ns3::Time took = duration(frame->GetSize());
  sent_(frame, took);
  ns3::Simulator::Schedule(took, &EthernetDevice::transmitted, this);
  channel_->carry(*this, frame, took);
}

void EthernetDevice::transmitted() {
  busy_ = false;
  if (free_.IsNull()) {
    pull();
  } else {
    free_();
  }
}

void EthernetDevice::arrive(ns3::Ptr<ns3::Packet> frame) {
  channel_->arrived();
  received_(frame);
  if (!sink_.IsNull()) return sink_(frame);
  ns3::EthernetHeader header(false);
  frame->RemoveHeader(header);
  const PacketType type = type_of(header.GetDestination());
  if (!promiscuous_.IsNull())
    promiscuous_(this, frame, header.GetLengthType(), header.GetSource(), header.GetDestination(), type);
  if (type != PACKET_OTHERHOST && !receive_.IsNull())
    receive_(this, frame, header.GetLengthType(), header.GetSource());
}

ns3::NetDevice::PacketType EthernetDevice::type_of(const ns3::Mac48Address& dest) const {
  if (dest == address_) return PACKET_HOST;
  if (dest.IsBroadcast()) return PACKET_BROADCAST;
  return dest.IsGroup() ? PACKET_MULTICAST : PACKET_OTHERHOST;
}

bool EthernetDevice::Send(ns3::Ptr<ns3::Packet> packet, const ns3::Address& dest, std::uint16_t protocol) {
  return SendFrom(packet, address_, dest, protocol);
}

bool EthernetDevice::SendFrom(ns3::Ptr<ns3::Packet> packet, const ns3::Address& source,
                              const ns3::Address& dest, std::uint16_t protocol) {
  ns3::EthernetHeader header(false);
  header.SetSource(ns3::Mac48Address::ConvertFrom(source));
  header.SetDestination(ns3::Mac48Address::ConvertFrom(dest));
  header.SetLengthType(protocol);
  packet->AddHeader(header);
  return send_frame(packet);
}

bool EthernetDevice::SetMtu(const std::uint16_t mtu) {
  mtu_ = mtu;
  return true;
}

/// The link is up from the beginning, and never goes down.
void EthernetDevice::AddLinkChangeCallback(ns3::Callback<void> /*callback*/) {}

ns3::Address EthernetDevice::GetMulticast(ns3::Ipv4Address group) const {
  return ns3::Mac48Address::GetMulticast(group);
}

ns3::Address EthernetDevice::GetMulticast(ns3::Ipv6Address group) const {
  return ns3::Mac48Address::GetMulticast(group);
}

void EthernetDevice::DoDispose() {
  node_ = nullptr;
  channel_ = nullptr;
  queue_.clear();
  source_ = Source();
  sink_ = Sink();
  free_ = ns3::Callback<void>();
  receive_.Nullify();
  promiscuous_.Nullify();
  ns3::NetDevice::DoDispose();
}

}  // namespace softfeb::ns3model
