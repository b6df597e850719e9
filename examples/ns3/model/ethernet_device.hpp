// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ethernet_channel.hpp"

#include <cstdint>
#include <deque>

#include <ns3/address.h>
#include <ns3/callback.h>
#include <ns3/mac48-address.h>
#include <ns3/net-device.h>
#include <ns3/node.h>
#include <ns3/nstime.h>
#include <ns3/packet.h>
#include <ns3/ptr.h>
#include <ns3/traced-callback.h>
#include <ns3/type-id.h>

namespace softfeb::ns3model {

/// A full-duplex Ethernet MAC. ns-3's PointToPointNetDevice carries only IP packets in PPP frames, and
/// CsmaNetDevice is a shared bus. This device carries every Ethernet frame, so ARP, pause frames and VLAN
/// tags pass unchanged.
///
/// A frame of L bytes (Ethernet header to iCRC) occupies the wire for max(L + 4, 64) + 20 bytes, which
/// includes FCS, preamble and interframe gap. Frames that cannot be sent at once wait in a queue, which drops
/// the frames that exceed `MaxBytes`. A switch replaces this queue by its own (set_source()).
///
/// Attributes: `Rate`, in bits per second; `Mtu`, the largest number of bytes of an IP packet; `MaxBytes`,
/// the largest number of bytes in the queue. Trace sources: `PhyTxBegin` passes the frame and the time until
/// its last bit leaves; `PhyRxEnd` and `MacTxDrop` pass the frame. All these frames are without FCS.
class EthernetDevice : public ns3::NetDevice {
 public:
  using Source = ns3::Callback<ns3::Ptr<ns3::Packet>>;
  using Sink = ns3::Callback<void, ns3::Ptr<ns3::Packet>>;
  using SentCallback = void (*)(ns3::Ptr<const ns3::Packet>, ns3::Time);  ///< signature of `PhyTxBegin`

  static ns3::TypeId GetTypeId();

  void attach(ns3::Ptr<EthernetChannel> channel);
  /// Sends a whole frame, which begins with the Ethernet header. Returns false if the queue is full.
  bool send_frame(const ns3::Ptr<ns3::Packet>& frame);
  /// Replaces the queue by `source`, which is called when the transmitter is free. `source` must return the
  /// next frame, or null if there is none. After `source` has returned null, call pull() when there is a
  /// frame again.
  void set_source(const Source& source) { source_ = source; }
  /// Calls `call` instead of pull() when the transmitter has become free.
  void set_free_callback(const ns3::Callback<void>& call) { free_ = call; }
  /// Passes whole frames to `sink`, in place of the protocol handlers of the node.
  void set_sink(const Sink& sink) { sink_ = sink; }
  /// Sends the next frame if the transmitter is free.
  void pull();

  /// Number of frames that wait in the queue, and number of frames that the queue dropped.
  std::size_t waiting() const { return queue_.size(); }
  std::uint64_t dropped() const { return dropped_; }
  /// Returns the rate in bytes per second.
  std::uint64_t byte_rate() const { return bits_per_second_ / 8; }
  /// Returns the number of bytes that a frame of `length` bytes occupies on the wire.
  static std::uint64_t wire_bytes(std::uint32_t length);
  /// Called by the channel when the last bit of `frame` has arrived.
  void arrive(ns3::Ptr<ns3::Packet> frame);

  void SetIfIndex(const std::uint32_t index) override { index_ = index; }
  std::uint32_t GetIfIndex() const override { return index_; }
  ns3::Ptr<ns3::Channel> GetChannel() const override { return channel_; }
  void SetAddress(ns3::Address address) override { address_ = ns3::Mac48Address::ConvertFrom(address); }
  ns3::Address GetAddress() const override { return address_; }
  bool SetMtu(const std::uint16_t mtu) override;
  std::uint16_t GetMtu() const override { return mtu_; }
  bool IsLinkUp() const override { return channel_ != nullptr; }
  void AddLinkChangeCallback(ns3::Callback<void> callback) override;
  bool IsBroadcast() const override { return true; }
  ns3::Address GetBroadcast() const override { return ns3::Mac48Address::GetBroadcast(); }
  bool IsMulticast() const override { return true; }
  ns3::Address GetMulticast(ns3::Ipv4Address group) const override;
  ns3::Address GetMulticast(ns3::Ipv6Address group) const override;
  bool IsPointToPoint() const override { return false; }
  bool IsBridge() const override { return false; }
  bool Send(ns3::Ptr<ns3::Packet> packet, const ns3::Address& dest, std::uint16_t protocol) override;
  bool SendFrom(ns3::Ptr<ns3::Packet> packet, const ns3::Address& source, const ns3::Address& dest,
                std::uint16_t protocol) override;
  ns3::Ptr<ns3::Node> GetNode() const override { return node_; }
  void SetNode(ns3::Ptr<ns3::Node> node) override { node_ = node; }
  bool NeedsArp() const override { return true; }
  void SetReceiveCallback(ReceiveCallback callback) override { receive_ = callback; }
  void SetPromiscReceiveCallback(PromiscReceiveCallback callback) override { promiscuous_ = callback; }
  bool SupportsSendFrom() const override { return true; }

 private:
  void DoDispose() override;
  ns3::Ptr<ns3::Packet> next();
  ns3::Time duration(std::uint32_t length);
  void transmitted();
  PacketType type_of(const ns3::Mac48Address& dest) const;

  ns3::Ptr<ns3::Node> node_;
  ns3::Ptr<EthernetChannel> channel_;
  ns3::Mac48Address address_;
  std::uint64_t bits_per_second_ = 0;
  std::uint64_t max_bytes_ = 0;
  /// Fraction of a picosecond by which the last transmission time was rounded down, in units of
  /// 1 ps / bits_per_second_.
  std::uint64_t remainder_ = 0;
  std::uint32_t index_ = 0;
  std::uint16_t mtu_ = 0;
  bool busy_ = false;
  Source source_;
  Sink sink_;
  ns3::Callback<void> free_;
  std::deque<ns3::Ptr<ns3::Packet>> queue_;
  std::uint64_t queued_bytes_ = 0;
  std::uint64_t dropped_ = 0;
  ReceiveCallback receive_;
  PromiscReceiveCallback promiscuous_;
  ns3::TracedCallback<ns3::Ptr<const ns3::Packet>, ns3::Time> sent_;
  ns3::TracedCallback<ns3::Ptr<const ns3::Packet>> received_;
  ns3::TracedCallback<ns3::Ptr<const ns3::Packet>> dropped_trace_;
};

}  // namespace softfeb::ns3model
