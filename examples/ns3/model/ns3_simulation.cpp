// SPDX-License-Identifier: BSD-3-Clause
#include "ns3_simulation.hpp"

#include "base/rng.hpp"
#include "message_tag.hpp"
#include "simulated_time.hpp"

#include <cmath>
#include <memory>
#include <utility>

#include <ns3/mac48-address.h>
#include <ns3/node.h>
#include <ns3/nstime.h>
#include <ns3/random-variable-stream.h>
#include <ns3/rng-seed-manager.h>
#include <ns3/simulator.h>
#include <ns3/uinteger.h>

namespace softfeb::ns3model {

namespace {

using Kind = fabric::NodeRef::Kind;

ns3::Mac48Address to_ns3(const roce::MacAddress& mac) {
  ns3::Mac48Address address;
  address.CopyFrom(mac.data());
  return address;
}

/// Returns the locally administered address of the device that sends in a direction.
ns3::Mac48Address port_address(std::uint32_t direction) {
  return to_ns3(roce::mac_plus({0x02, 0x6e, 0x73, 0x33, 0x00, 0x00}, direction));
}

/// Returns uniform random numbers from a stream of ns-3's generator. Each port has a stream of its own.
MarkingNumbers ns3_numbers(std::int64_t stream) {
  const auto uniform = ns3::CreateObject<ns3::UniformRandomVariable>();
  uniform->SetStream(stream);
  return [uniform] { return uniform->GetValue(); };
}

/// Returns the same random numbers as those with which fabric::Network decides about marks at port `number`.
MarkingNumbers own_numbers(std::uint64_t seed, std::uint64_t number) {
  constexpr std::uint64_t kStep = 0x9e37'79b9U;
  const auto rng = std::make_shared<Rng>(Rng(seed + (2 * number + 1) * kStep).next());
  return [rng] { return std::ldexp(static_cast<double>(rng->next() >> 32), -32); };
}

}  // namespace

Ns3Simulation::Ns3Simulation(const fabric::NetworkConfig& config, const std::vector<simulator::Seat>& seats,
                             const Options& options)
    : config_(config) {
  ns3::RngSeedManager::SetRun(config.seed);  // different run numbers select different random streams
  stations_.Create(static_cast<std::uint32_t>(config.stations.size()));
  switch_nodes_.Create(static_cast<std::uint32_t>(config.switches.size()));
  for (const fabric::LinkConfig& link : config.links) add_link(link);
  for (std::uint32_t s = 0; s < config.switches.size(); ++s) {
    switches_.push_back(ns3::CreateObject<EcnSwitch>(config.switches[s]));
    switch_nodes_.Get(s)->AggregateObject(switches_.back());
    for (std::uint32_t d = 0; d < devices_.size(); ++d)
      if (sender(d) == fabric::NodeRef{Kind::kSwitch, s}) add_port(s, d, options);
  }
  for (const simulator::Seat& seat : seats) add_application(seat, options);
}

/// Simulator::Destroy() may be called as late as here, because the endpoints to which the applications refer
/// outlive the simulation.
Ns3Simulation::~Ns3Simulation() { ns3::Simulator::Destroy(); }

const fabric::NodeRef& Ns3Simulation::sender(std::uint32_t direction) const {
  const fabric::LinkConfig& link = config_.links[direction / 2];
  return direction % 2 == 0 ? link.a : link.b;
}

void Ns3Simulation::add_link(const fabric::LinkConfig& link) {
  const auto channel =
      ns3::CreateObjectWithAttributes<EthernetChannel>("Delay", ns3::TimeValue(to_ns3(link.delay)));
  for (const fabric::NodeRef& end : {link.a, link.b}) {
    const auto device =
        ns3::CreateObjectWithAttributes<EthernetDevice>("Rate", ns3::UintegerValue(link.rate * 8));
    const bool station = end.kind == Kind::kStation;
    device->SetAddress(port_address(static_cast<std::uint32_t>(devices_.size())));
    if (station && config_.stations[end.index].mac)
      device->SetAddress(to_ns3(*config_.stations[end.index].mac));
    (station ? stations_ : switch_nodes_).Get(end.index)->AddDevice(device);
    device->attach(channel);
    devices_.push_back(device);
  }
  channels_.push_back(channel);
}

void Ns3Simulation::add_port(std::uint32_t switch_index, std::uint32_t direction, const Options& options) {
  const std::uint32_t back = direction ^ 1U;
  const fabric::NodeRef& peer = sender(back);
  roce::MacAddress pause_to = roce::kPauseAddress;
  if (peer.kind == Kind::kStation) pause_to = config_.stations[peer.index].mac.value_or(pause_to);
  EcnSwitch& sw = *switches_[switch_index];
  const std::size_t port =
      sw.add_port(devices_[direction], config_.links[direction / 2].flow_control,
                  options.own_numbers ? own_numbers(config_.seed, ports_.size())
                                      : ns3_numbers(static_cast<std::int64_t>(ports_.size())),
                  pause_to);
  if (options.ordered) sw.set_ranks(port, back, direction);
  ports_.push_back({switch_index, port, direction});
}

void Ns3Simulation::add_application(const simulator::Seat& seat, const Options& options) {
  const auto application = ns3::CreateObject<SoftfebApplication>();
  application->set_endpoint(*seat.endpoint);
  application->set_device(stations_.Get(seat.station)->GetDevice(0));
  application->set_ordered(options.ordered);
  stations_.Get(seat.station)->AddApplication(application);
  applications_.push_back(application);
}

/// Simulator::Stop() ends the run at once, and so skips events of the same time that are scheduled after the
/// stop. With Options::ordered, an event at the time `end` can schedule another event for the same time. The
/// stop is therefore scheduled when this time has come, by way of two further events, so that it is the last
/// event of this time.
void Ns3Simulation::run_until(Time end) {
  static constexpr auto stop = [] { ns3::Simulator::Stop(); };
  static constexpr auto after_others = [] { ns3::Simulator::ScheduleNow(stop); };
  ns3::Simulator::Schedule(to_ns3(end - now_), [] { ns3::Simulator::ScheduleNow(after_others); });
  ns3::Simulator::Run();
  now_ = end;
}

fabric::PortSnapshot Ns3Simulation::snapshot_of(const PortPlace& place, Time now) const {
  const SwitchPort& port = switches_[place.switch_index]->port(place.port);
  fabric::PortSnapshot out = port.counters;
  out.switch_index = place.switch_index;
  out.link = place.direction / 2;
  out.peer = sender(place.direction ^ 1U);
  out.queue_bytes = port.bytes();
  for (std::size_t q = 0; q < fabric::kQueues; ++q) out.queue_bytes_of[q] = port.bytes_of(q);
  if (port.blocked_since() < now) out.paused += now - port.blocked_since();
  return out;
}

fabric::NetworkSnapshot Ns3Simulation::make_snapshot() const {
  fabric::NetworkSnapshot out;
  out.ports.resize(ports_.size());
  return out;
}

void Ns3Simulation::take_snapshot(fabric::NetworkSnapshot& out) {
  out.taken_at = now_;
  out.totals = {};
  for (const auto& application : applications_) {
    out.totals.entered += application->sent();
    out.totals.delivered += application->delivered();
  }
  for (const auto& device : devices_) out.totals.dropped_buffer += device->dropped();
  for (const auto& sw : switches_) {
    const EcnSwitch::Counters& counters = sw->counters();
    out.totals.made += counters.made;
    out.totals.duplicated += counters.copied;
    out.totals.consumed += counters.consumed;
    out.totals.dropped_buffer += counters.dropped_buffer;
    out.totals.dropped_unknown += counters.dropped_unknown;
  }
  out.totals.in_network = in_network();
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    out.ports[p] = snapshot_of(ports_[p], now_);
    switches_[ports_[p].switch_index]->port(ports_[p].port).counters.queue_bytes_peak =
        out.ports[p].queue_bytes;
  }
}

/// Returns the number of frames that wait at stations and switches or are on links.
std::uint64_t Ns3Simulation::in_network() const {
  std::uint64_t frames = 0;
  for (const auto& channel : channels_) frames += channel->under_way();
  for (const auto& device : devices_) frames += device->waiting();
  for (const PortPlace& place : ports_) frames += switches_[place.switch_index]->port(place.port).size();
  return frames;
}

void Ns3Simulation::report_times(latency::Stamps& stamps) {
  stamps_ = &stamps;
  for (std::uint32_t d = 0; d < devices_.size(); ++d) {
    const bool station = sender(d).kind == Kind::kStation;
    const latency::Stage sent = station ? latency::Stage::kSent : latency::Stage::kSwitchOut;
    devices_[d]->TraceConnectWithoutContext("PhyTxBegin",
                                            ns3::MakeCallback(&Ns3Simulation::frame_sent, this).Bind(sent));
    if (station) continue;
    devices_[d]->TraceConnectWithoutContext("PhyRxEnd",
                                            ns3::MakeCallback(&Ns3Simulation::frame_received, this));
  }
}

/// Reports when the last bit of a frame leaves.
void Ns3Simulation::frame_sent(latency::Stage stage, ns3::Ptr<const ns3::Packet> frame, ns3::Time took) {
  MessageTag tag;
  if (!frame->PeekPacketTag(tag)) return;
  stamps_->put(tag.key(), stage, ns3model::now() + static_cast<Time>(took.GetPicoSeconds()));
}

/// Reports when a switch has received a frame.
void Ns3Simulation::frame_received(ns3::Ptr<const ns3::Packet> frame) {
  MessageTag tag;
  if (frame->PeekPacketTag(tag)) stamps_->put(tag.key(), latency::Stage::kSwitchIn, ns3model::now());
}

std::uint64_t Ns3Simulation::events() const { return ns3::Simulator::GetEventCount(); }

std::uint64_t Ns3Simulation::passed_over() const {
  std::uint64_t frames = 0;
  for (const auto& application : applications_) frames += application->passed_over();
  return frames;
}

}  // namespace softfeb::ns3model
