// SPDX-License-Identifier: BSD-3-Clause
#include "ecn_switch.hpp"

#include "simulated_time.hpp"
#include "supported.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include <ns3/simulator.h>

namespace softfeb::ns3model {

ns3::TypeId EcnSwitch::GetTypeId() {
  static const ns3::TypeId id = ns3::TypeId("softfeb::EcnSwitch").SetParent<ns3::Object>();
  return id;
}

EcnSwitch::EcnSwitch(const fabric::SwitchConfig& config) : config_(config) {
  const std::vector<std::string> names = unsupported(config);
  if (!names.empty()) throw std::invalid_argument("EcnSwitch has no `" + names.front() + "`");
}

std::size_t EcnSwitch::add_port(ns3::Ptr<EthernetDevice> device, roce::PauseMode flow_control,
                                MarkingNumbers numbers, const roce::MacAddress& pause_to) {
  if (flow_control != roce::PauseMode::kOff && !config_.pause.given())
    throw std::invalid_argument("a port of an EcnSwitch with flow control needs pause.xoff");
  const std::size_t i = ports_.size();
  ports_.push_back(std::make_unique<SwitchPort>(config_, device, flow_control, std::move(numbers), pause_to));
  device->set_sink(ns3::MakeCallback(&EcnSwitch::receive, this).Bind(i));
  device->set_source(ns3::MakeCallback(&EcnSwitch::next, this).Bind(i));
  return i;
}

void EcnSwitch::set_ranks(std::size_t port, std::uint32_t arrival, std::uint32_t departure) {
  ports_[port]->ranks.emplace(arrival, departure);
  ports_[port]->device->set_free_callback(ns3::MakeCallback(&EcnSwitch::become_free, this).Bind(port));
}

void EcnSwitch::receive(std::size_t port, ns3::Ptr<ns3::Packet> frame) {
  const auto& ranks = ports_[port]->ranks;
  if (ranks) {
    wait_for_turn({ranks->first, port, std::move(frame)});
  } else {
    forward(port, frame);
  }
}

void EcnSwitch::become_free(std::size_t port) {
  const auto& ranks = ports_[port]->ranks;
  if (ranks) {
    wait_for_turn({ranks->second, port, nullptr});
  } else {
    ports_[port]->device->pull();
  }
}

/// Postpones an event until all events of the same time with lower ranks have been handled. With
/// ScheduleNow(), handle_pending() runs after all events that are already scheduled for this time.
void EcnSwitch::wait_for_turn(Pending event) {
  if (pending_.empty()) ns3::Simulator::ScheduleNow(&EcnSwitch::handle_pending, this);
  pending_.push_back(std::move(event));
}

void EcnSwitch::handle_pending() {
  std::vector<Pending> events;
  events.swap(pending_);
  std::sort(events.begin(), events.end(), [](const Pending& a, const Pending& b) { return a.rank < b.rank; });
  for (const Pending& event : events) {
    if (event.frame != nullptr) {
      forward(event.port, event.frame);
    } else {
      ports_[event.port]->device->pull();
    }
  }
}

void EcnSwitch::forward(std::size_t ingress, const ns3::Ptr<ns3::Packet>& frame) {
  SwitchPort& from = *ports_[ingress];
  ++from.counters.rx_packets;
  from.counters.rx_bytes += frame->GetSize();
  const FrameFields fields = FrameFields::of(*frame);
  if (fields.mac_control) return honour(ingress, frame);
  learnt_[fields.source] = ingress;
  if (fields.dest.IsGroup()) return flood(ingress, fields, frame);
  const auto to = learnt_.find(fields.dest);
  if (to == learnt_.end()) return flood(ingress, fields, frame);
  if (to->second == ingress) {
    ++counters_.dropped_unknown;
  } else {
    enqueue(to->second, ingress, fields, frame);
  }
}

void EcnSwitch::flood(std::size_t ingress, const FrameFields& fields, const ns3::Ptr<ns3::Packet>& frame) {
  std::size_t left = ports_.size() - 1;
  if (left == 0) ++counters_.dropped_unknown;
  for (std::size_t out = 0; out < ports_.size(); ++out) {
    if (out == ingress) continue;
    const bool last = --left == 0;
    if (!last) ++counters_.copied;
    enqueue(out, ingress, fields, last ? frame : frame->Copy());
  }
}

/// A frame that finds no room in the shared part of the buffer goes to the headroom of its ingress port, if
/// the sender can be paused.
bool EcnSwitch::admit(const SwitchPort& egress, QueuedFrame& item) {
  SwitchPort& from = *ports_[item.ingress];
  const bool in_limit = config_.port_limit == 0 || egress.bytes() + item.length <= config_.port_limit;
  if (in_limit && used_ + item.length <= config_.buffer) {
    used_ += item.length;
  } else if (can_pause(item.ingress, item.queue) &&
             from.headroom[item.ingress_class] + item.length <= config_.pause.headroom) {
    from.headroom[item.ingress_class] += item.length;
    item.headroom = true;
  } else {
    return false;
  }
  from.held[item.ingress_class] += item.length;
  return true;
}

void EcnSwitch::enqueue(std::size_t egress, std::size_t ingress, const FrameFields& fields,
                        const ns3::Ptr<ns3::Packet>& frame) {
  SwitchPort& port = *ports_[egress];
  const std::uint8_t queue = config_.dscp_to_queue[fields.dscp];
  const bool pfc = ports_[ingress]->flow_control == roce::PauseMode::kPfc;
  QueuedFrame item{frame, frame->GetSize(), queue, ingress, pfc ? queue : std::uint8_t{0}};
  if (!admit(port, item)) {
    ++port.counters.dropped;
    ++port.counters.queues[queue].dropped;
    ++counters_.dropped_buffer;
    return;
  }
  if (fields.ecn_capable && port.marks(config_.queues[queue].ecn, port.bytes_of(queue))) {
    set_congestion_experienced(frame);
    ++port.counters.ecn_marked;
    ++port.counters.queues[queue].ecn_marked;
  }
  const std::uint8_t ingress_class = item.ingress_class;
  port.push(std::move(item));
  port.device->pull();
  port.counters.queue_bytes_peak = std::max(port.counters.queue_bytes_peak, port.bytes());
  port.counters.queue_bytes_max = std::max(port.counters.queue_bytes_max, port.bytes());
  port.counters.queues[queue].bytes_max =
      std::max(port.counters.queues[queue].bytes_max, port.bytes_of(queue));
  if (can_pause(ingress, queue)) pause(ingress, ingress_class);
}

/// Returns the frame that leaves through a port: a pause frame, or a frame of the egress queues.
ns3::Ptr<ns3::Packet> EcnSwitch::next(std::size_t i) {
  SwitchPort& port = *ports_[i];
  ns3::Ptr<ns3::Packet> frame;
  if (!port.control.empty()) {
    frame = port.control.front();
    port.control.pop_front();
  } else {
    frame = next_data(i);
  }
  if (frame == nullptr) return nullptr;
  ++port.counters.tx_packets;
  port.counters.tx_bytes += frame->GetSize();
  port.counters.tx_wire_bytes += EthernetDevice::wire_bytes(frame->GetSize());
  return frame;
}

/// Returns the next frame of the egress queues. Returns null if no frame waits, or if the neighbour has
/// paused all frames that wait.
ns3::Ptr<ns3::Packet> EcnSwitch::next_data(std::size_t i) {
  SwitchPort& port = *ports_[i];
  const Time at = now();
  if (port.may_send(at)) {
    const QueuedFrame item = port.pop(at);
    ++port.counters.queues[item.queue].tx_packets;
    port.counters.queues[item.queue].tx_wire_bytes += EthernetDevice::wire_bytes(item.length);
    port.unblock(at);
    release(item);
    return item.frame;
  }
  if (port.empty()) return nullptr;
  port.block(at);
  port.resumption.Cancel();
  port.resumption = ns3::Simulator::Schedule(to_ns3(port.opens_at() - at), &EcnSwitch::become_free, this, i);
  return nullptr;
}

void EcnSwitch::release(const QueuedFrame& item) {
  SwitchPort& from = *ports_[item.ingress];
  from.held[item.ingress_class] -= item.length;
  if (item.headroom) {
    from.headroom[item.ingress_class] -= item.length;
  } else {
    used_ -= item.length;
  }
  resume(item.ingress, item.ingress_class);
}

void EcnSwitch::DoDispose() {
  pending_.clear();
  ports_.clear();
  ns3::Object::DoDispose();
}

}  // namespace softfeb::ns3model
