// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/int_record.hpp"
#include "fabric/marking.hpp"
#include "fabric/network_impl.hpp"
#include "fabric/wire_time.hpp"
#include "roce/congestion_header.hpp"

#include <algorithm>

namespace softfeb::fabric {

namespace {

bool can_pause(const Port& ingress, const SwitchConfig& sw, const Frame& frame) {
  return ingress.flow_control == PauseMode::kPause ||
         (ingress.flow_control == PauseMode::kPfc && sw.queues[frame.queue].lossless);
}

}  // namespace

/// Handles a received frame. If the wire announces headers, only the header of the frame has been received.
void Network::Parts::receive(std::uint16_t p, Frame* frame, Time now) {
  Port& port = ports[p];
  ++port.counters.rx_packets;
  port.counters.rx_bytes += frame->length;
  frame->ingress = p;
  if (port.rules && !passes_rules(port, frame)) return;
  if (frame->message != 0 && stamps != nullptr)
    stamps->put(frame->message, latency::Stage::kSwitchIn, std::max(frame->at, now));
  if (port.delays) {
    delay(p, frame, now);
  } else {
    forward(p, frame, now);
  }
}

/// Moves a frame from port `p` to its egress queue.
void Network::Parts::forward(std::uint16_t p, Frame* frame, Time now, std::uint16_t out) {
  if ((frame->facts & kFactControl) != 0) return receive_control(p, frame, now);
  if (frame->destination == kEverybody || frame->destination == kSomebody) return flood(p, frame, now);
  if (out == Topology::kNoPort) out = choose_egress(p, *frame);
  if (out == Topology::kNoPort) return drop(frame, totals.dropped_unknown);
  if (!carries(ports[out], *frame)) return drop_other_vlan(ports[out], frame);
  enqueue(out, frame, now);
}

/// Chooses the egress port of a frame from port `p` to a station. Returns kNoPort if the frame must not be
/// forwarded or has no single egress port.
std::uint16_t Network::Parts::choose_egress(std::uint16_t p, const Frame& frame) {
  if (frame.destination >= config.stations.size()) return Topology::kNoPort;
  const std::uint16_t out = next_hop(ports[p].switch_index, frame);
  return out == p ? Topology::kNoPort : out;
}

/// Floods a frame to all other ports of the spanning tree that carry the frame's VLAN. A frame to an unknown
/// individual address goes only to ports that may lead to this address.
void Network::Parts::flood(std::uint16_t p, Frame* frame, Time now) {
  // A frame that was flooded cannot arrive over this link. A fault rule of the link must have changed the
  // destination address of this frame.
  if (!topology.floods[p]) return drop(frame, totals.dropped_unknown);
  const Switch& sw = switches[ports[p].switch_index];
  std::uint16_t last = Topology::kNoPort;  // this port gets the frame itself; the other ports get copies
  for (std::uint16_t out = sw.first_port; out < sw.end_port; ++out) {
    if (out == p || !topology.floods[out] || !carries(ports[out], *frame)) continue;
    if (frame->destination == kSomebody && !topology.leads_to_learning[out]) continue;
    if (last != Topology::kNoPort) {
      ++totals.duplicated;
      Frame* const copy = store.copy(*frame);
      if (copy == nullptr) {
        ++totals.dropped_store;
      } else {
        copy_facts(*frame, *copy);
        enqueue(last, copy, now);
      }
    }
    last = out;
  }
  if (last == Topology::kNoPort) {
    drop(frame, totals.dropped_unknown);
  } else {
    enqueue(last, frame, now);
  }
}

std::uint8_t Network::Parts::queue_of(const SwitchConfig& sw, const Frame& frame) const {
  if (sw.trust_pcp && (frame.facts & kFactTagged) != 0) return sw.pcp_to_queue[frame.pcp];
  return sw.dscp_to_queue[frame.dscp];
}

/// Enqueues a frame at egress port `p` of its current switch.
void Network::Parts::enqueue(std::uint16_t p, Frame* frame, Time now) {
  Port& port = ports[p];
  Switch& sw = switches[port.switch_index];
  frame->queue = queue_of(*sw.config, *frame);
  if (sw.forge) pass_forge(sw, port, *frame, now);
  const bool own = frame->ingress == sw.end_port;
  const std::uint8_t ingress_class = own ? 0 : ports[frame->ingress].class_of(*frame);
  const bool pausable = !own && can_pause(ports[frame->ingress], *sw.config, *frame);
  const std::size_t ingress = frame->ingress - sw.first_port;
  const EcnMarking& ecn = sw.config->queues[frame->queue].ecn;
  std::uint64_t length = port.queued(frame->queue);
  const SharedBuffer::Egress egress{std::size_t{p} - sw.first_port, port.queued(), length};
  if (discards(port, ecn, frame, length, now)) return;
  if (!sw.buffer.admit(*frame, ingress, ingress_class, pausable, egress)) {
    ++port.counters.dropped;
    ++port.counters.queues[frame->queue].dropped;
    drop(frame, totals.dropped_buffer);
    return;
  }
  if ((frame->facts & kFactEct) != 0 && !ecn.at_dequeue && marks(ecn, length, port.marking))
    mark(port, *frame);
  const std::uint16_t from = frame->ingress;
  const std::uint8_t queue = frame->queue;
  if ((port.queues.waiting() >> queue & 1) == 0) begin_waiting(port, queue, now);
  port.queues.push(frame);
  if (port.mac) {
    port.mac->pushed(frame);
    fill_mac(port, queue, now);
  }
  transmit(p, now);
  note_lengths(port, queue);
  if (!pausable) return;
  after_filling(sw, from, ingress_class, now);
}

/// Drops a frame that arrives at an egress queue if the watchdog or `not_ect: drop` requires this. Returns
/// true if the frame was dropped. `length` is the parameter `queued` of passes_arrival().
bool Network::Parts::discards(Port& port, const EcnMarking& ecn, Frame* frame, std::uint64_t& length,
                              Time now) {
  if (port.watchdog && port.watchdog->drops(frame->queue)) {
    drop_in_storm(port, frame);
    return true;
  }
  if (!ecn.extended() || passes_arrival(port, ecn, *frame, length, now)) return false;
  drop_early(port, frame);
  return true;
}

/// Call before a frame is appended to an empty queue.
void Network::Parts::begin_waiting(Port& port, std::uint8_t queue, Time now) {
  port.served_at[queue] = now;
  if (!port.watchdog) return;
  port.watchdog->waits(queue, port.told, now);
  set_delayed(port.channel);
}

/// Updates the maxima of a port's queue lengths. Call after a frame has been appended to `queue`.
void Network::Parts::note_lengths(Port& port, std::uint8_t queue) {
  const auto raise = [](std::uint64_t& most, std::uint64_t bytes) { most = std::max(most, bytes); };
  raise(port.counters.queue_bytes_peak, port.queued());
  raise(port.counters.queue_bytes_max, port.queued());
  raise(port.counters.queues[queue].bytes_max, port.queued(queue));
}

/// For a switch with a ThresholdForge: measures the traffic towards a port, and sends CNPs to its sources.
void Network::Parts::pass_forge(Switch& sw, Port& port, Frame& frame, Time now) {
  const bool above = port.meter.passes(wire_bytes(frame.length), now);
  if (frame.flow == kNoFlow) return;
  if ((frame.facts & kFactAck) != 0) sw.forge->acknowledgement(frame, flows);
  if (!above || (frame.facts & kFactRequest) == 0) return;
  const std::uint32_t source = flows[frame.flow].source;
  sw.forge->request(frame, flows, now, [&](ByteSpan bytes) {
    ++totals.made;
    Frame* const cnp = store.make(bytes);
    if (cnp == nullptr) {
      ++totals.dropped_store;
      return;
    }
    ++port.counters.cnp_forged;
    read_facts(*cnp);
    cnp->destination = source;
    cnp->flow = kNoFlow;
    cnp->ingress = sw.end_port;
    const std::uint16_t out = next_hop(port.switch_index, *cnp);
    if (!carries(ports[out], *cnp)) return drop_other_vlan(ports[out], cnp);
    enqueue(out, cnp, now);
  });
}

/// Transmits the next frame of port `p` if the port is free. Pauses hold back data frames but not control
/// frames.
void Network::Parts::transmit(std::uint16_t p, Time now) {
  Port& port = ports[p];
  Channel& channel = channels[port.channel];
  bool data = false;
  if (channel.wire.free_at() > now) {
    channel.tx_at = port.queues.waiting() != 0 || !port.control.empty() ? channel.wire.free_at() : kNever;
  } else {
    Frame* frame = port.control.empty() ? nullptr : port.control.pop();
    data = frame == nullptr;
    if (data) frame = next_data(port, now);
    if (frame == nullptr) {
      channel.tx_at = port.queues.waiting() != 0 ? wait_to_send(port, now) : kNever;
    } else {
      if (data && frame->cch != 0) record_hop(port, *frame, now);
      ++port.counters.tx_packets;
      port.counters.tx_bytes += frame->length;
      port.counters.tx_wire_bytes += wire_bytes(frame->length);
      if (data) {
        note_departure(port, *frame, now);
        after_leaving(port, *frame, now);
      }
      put_on_wire(port.channel, frame, now);
      channel.tx_at = port.queues.waiting() != 0 || !port.control.empty() ? channel.wire.free_at() : kNever;
    }
  }
  schedule(port.channel);
  if (data) resume_others(switches[port.switch_index], now);
}

/// Counts a data frame whose first bit leaves through `port`.
void Network::Parts::note_departure(Port& port, const Frame& frame, Time now) {
  if (port.limits != nullptr) port.limits->sent(frame.queue, frame.length, now);
  QueueSnapshot& queue = port.counters.queues[frame.queue];
  ++queue.tx_packets;
  queue.tx_wire_bytes += wire_bytes(frame.length);
  queue.starved = std::max(queue.starved, now - port.served_at[frame.queue]);
  port.served_at[frame.queue] = now;
}

/// Counts a hop in the congestion control header of a frame whose first bit leaves through `port`. If the
/// header's profile is kInt and there is room, also adds a record to the header. The record describes the
/// port without this frame: it contains the bytes sent before the frame and the bytes queued behind it.
void Network::Parts::record_hop(Port& port, const Frame& frame, Time now) {
  const Switch& sw = switches[port.switch_index];
  if (!sw.config->int_on) return;
  const auto record =
      congestion::IntRecord::of(port.counters.rate, now, port.counters.tx_wire_bytes, port.queued());
  // The sum of a valid CCH's words is constant, so a checksum in the UDP header stays correct.
  if (const MutableByteSpan cch = cch_bytes(frame); roce::add_hop(cch, record, sw.int_id)) {
    ++port.counters.cch_hops;
  } else if (!roce::CongestionHeader::decode(cch)) {
    ++port.counters.cch_invalid;
  }
}

}  // namespace softfeb::fabric
