// SPDX-License-Identifier: BSD-3-Clause
#include "softfeb_application.hpp"

#include "base/bytes.hpp"
#include "message_tag.hpp"
#include "roce/frame.hpp"
#include "roce/ip.hpp"
#include "simulated_time.hpp"

#include <algorithm>
#include <cstring>

#include <ns3/mac48-address.h>
#include <ns3/node.h>
#include <ns3/nstime.h>
#include <ns3/simulator.h>

namespace softfeb::ns3model {

ns3::TypeId SoftfebApplication::GetTypeId() {
  static const ns3::TypeId id = ns3::TypeId("softfeb::SoftfebApplication")
                                    .SetParent<ns3::Application>()
                                    .AddConstructor<SoftfebApplication>();
  return id;
}

SoftfebApplication::SoftfebApplication() {
  for (std::size_t i = 0; i < kBurst; ++i) out_[i].header = headers_[i].data();
}

void SoftfebApplication::set_endpoint(engine::Endpoint& endpoint) {
  endpoint_ = &endpoint;
  own_.insert(endpoint.identity(), 0);
}

void SoftfebApplication::StartApplication() {
  GetNode()->RegisterProtocolHandler(ns3::MakeCallback(&SoftfebApplication::receive, this), 0, device_, true);
  serve();
}

void SoftfebApplication::StopApplication() {
  GetNode()->UnregisterProtocolHandler(ns3::MakeCallback(&SoftfebApplication::receive, this));
  wake_.Cancel();
}

void SoftfebApplication::DoDispose() {
  wake_.Cancel();
  device_ = nullptr;
  ns3::Application::DoDispose();
}

/// NetDevices deliver packets without the Ethernet header, which is restored here.
void SoftfebApplication::receive(ns3::Ptr<ns3::NetDevice> /*device*/, ns3::Ptr<const ns3::Packet> packet,
                                 std::uint16_t protocol, const ns3::Address& from, const ns3::Address& to,
                                 ns3::NetDevice::PacketType /*type*/) {
  ++delivered_;
  bytes_.resize(roce::kEthernetSize + packet->GetSize());
  ns3::Mac48Address::ConvertFrom(to).CopyTo(&bytes_[0]);
  ns3::Mac48Address::ConvertFrom(from).CopyTo(&bytes_[6]);
  store_be16(&bytes_[12], protocol);
  packet->CopyData(&bytes_[roce::kEthernetSize], packet->GetSize());
  const Time at = now();
  if (!accept(bytes_, at)) {
    ++passed_over_;
    return;
  }
  const Time next = endpoint_->next_event(at);
  if (next <= at) {
    serve();
  } else {
    wake_at(next);
  }
}

/// Returns false if the frame is not for this endpoint.
bool SoftfebApplication::accept(const std::vector<std::uint8_t>& bytes, Time at) {
  const roce::ParsedFrame frame = roce::parse_frame(Segments(bytes));
  bool ours = false;
  if (frame.kind == roce::FrameKind::kMacControl) {
    own_.for_each_paused(frame.dest_mac, [&ours](std::uint32_t) { ours = true; });
  } else {
    ours = own_.find(frame) == 0;
  }
  if (ours) endpoint_->receive(frame, at);
  return ours;
}

/// Schedules serve() for the time `at`, which must not be in the past. If `at` is kNever, only cancels the
/// scheduled call.
void SoftfebApplication::wake_at(Time at) {
  if (wake_.IsRunning() && wake_time_ == at) return;
  wake_.Cancel();
  wake_time_ = at;
  if (at == kNever) return;
  wake_ = ns3::Simulator::Schedule(to_ns3(at - now()), &SoftfebApplication::woken, this);
}

/// serve() is scheduled again for the same time, so that it follows all other events of this time, which were
/// scheduled before this time.
void SoftfebApplication::woken() {
  if (ordered_) {
    wake_ = ns3::Simulator::ScheduleNow(&SoftfebApplication::serve, this);
  } else {
    serve();
  }
}

void SoftfebApplication::serve() {
  const Time at = now();
  for (std::size_t n = kBurst; n == kBurst;) {
    n = endpoint_->poll(at, out_);
    for (std::size_t i = 0; i < n; ++i) send(out_[i]);
  }
  wake_at(std::max(at, endpoint_->next_event(at)));
}

void SoftfebApplication::send(const engine::TxFrame& frame) {
  ++sent_;
  bytes_.resize(frame.length());
  std::memcpy(bytes_.data(), frame.header, frame.header_length);
  if (frame.payload_length != 0)
    std::memcpy(&bytes_[frame.header_length], frame.payload, frame.payload_length);
  std::memcpy(bytes_.data() + frame.header_length + frame.payload_length, frame.trailer.data(),
              frame.trailer_length);
  ns3::Mac48Address dest, source;
  dest.CopyFrom(&bytes_[0]);
  source.CopyFrom(&bytes_[6]);
  const auto packet = ns3::Create<ns3::Packet>(
      &bytes_[roce::kEthernetSize], static_cast<std::uint32_t>(bytes_.size() - roce::kEthernetSize));
  if (frame.message != 0) packet->AddPacketTag(MessageTag(frame.message));
  device_->SendFrom(packet, source, dest, load_be16(&bytes_[12]));
}

}  // namespace softfeb::ns3model
