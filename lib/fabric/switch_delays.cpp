// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/network_impl.hpp"

#include <algorithm>

namespace softfeb::fabric {

/// Puts a frame that port `p` receives at `now` into the pipeline. If the wire announces headers, only the
/// header has arrived; the last bit follows at Frame::at.
void Network::Parts::delay(std::uint16_t p, Frame* frame, Time now) {
  PortDelays& delays = *ports[p].delays;
  const bool control = (frame->facts & kFactControl) != 0;
  frame->egress = Topology::kNoPort;
  const Time last_bit = std::max(frame->at, now);
  if (last_bit > now && !control) {
    if (delays.times.pipeline == 0) return pass_header(p, frame, now);
    delays.headers.push(frame);
  } else {
    frame->at = last_bit + (control ? delays.times.pause_response : delays.times.pipeline);
    if (frame->at == now) return forward(p, frame, now);
    (control ? delays.received : delays.stored).push(frame);
  }
  set_delayed(reverse_of(ports[p].channel));
}

/// Chooses the egress port of a frame whose header has passed through the pipeline of port `p`. Then forwards
/// the frame, or stores it until the whole frame has passed through the pipeline.
void Network::Parts::pass_header(std::uint16_t p, Frame* frame, Time now) {
  frame->egress = choose_egress(p, *frame);
  if (cuts_through(p, *frame, now)) return forward(p, frame, now, frame->egress);
  PortDelays& delays = *ports[p].delays;
  frame->at += delays.times.pipeline;
  delays.stored.push(frame);
  set_delayed(reverse_of(ports[p].channel));
}

/// True if a frame from port `p` can leave before it has been received completely (RFC 1242, latency of bit
/// forwarding devices). This is not possible if the egress port is faster, because the frame would be sent
/// faster than it arrives.
bool Network::Parts::cuts_through(std::uint16_t p, const Frame& frame, Time now) const {
  if (frame.egress == Topology::kNoPort) return false;
  const Port& port = ports[frame.egress];
  const std::uint8_t queue = queue_of(*switches[port.switch_index].config, frame);
  return port.counters.rate <= ports[p].counters.rate && port.control.empty() && port.queues.waiting() == 0 &&
         channels[port.channel].wire.free_at() <= now &&
         port.may_send(static_cast<std::uint8_t>(1U << queue), now) != 0;
}

/// Handles the end of a delay at one end of channel `d`.
void Network::Parts::end_delay(std::uint32_t d, Time now) {
  if (end_reception(d, now)) return;
  Port& port = ports[channels[d].from];
  if (port.watchdog && port.watchdog->due() == now) return check_watchdog(channels[d].from, now);
  port.control.push(port.delays->made.pop());
  set_delayed(d);
  transmit(channels[d].from, now);
}

/// Handles a frame from channel `d` whose delay in the switch ends at `now`. Returns false if there is none.
bool Network::Parts::end_reception(std::uint32_t d, Time now) {
  const Channel& channel = channels[d];
  if (channel.into == Topology::kNoPort || !ports[channel.into].delays) return false;
  PortDelays& delays = *ports[channel.into].delays;
  const bool header = header_due(channel) == now;
  for (FrameList* list : {&delays.received, &delays.stored, &delays.headers}) {
    if (list == &delays.headers ? !header : list->front_time() != now) continue;
    Frame* const frame = list->pop();
    set_delayed(d);
    if (list == &delays.headers) {
      pass_header(channel.into, frame, now);
    } else {
      forward(channel.into, frame, now, frame->egress);
    }
    return true;
  }
  return false;
}

/// Returns the time at which the first header in the pipeline of the port at the end of `channel` leaves the
/// pipeline; kNever if there is none.
Time Network::Parts::header_due(const Channel& channel) const {
  const PortDelays& delays = *ports[channel.into].delays;
  if (delays.headers.empty()) return kNever;
  const Frame& frame = *delays.headers.front();
  return frame.at - channel.wire.after_header(frame.length) + delays.times.pipeline;
}

void Network::Parts::set_delayed(std::uint32_t d) {
  Channel& channel = channels[d];
  Time first = kNever;
  if (channel.into != Topology::kNoPort && ports[channel.into].delays) {
    const PortDelays& delays = *ports[channel.into].delays;
    first = std::min({delays.received.front_time(), delays.stored.front_time(), header_due(channel)});
  }
  if (channel.from != Topology::kNoPort) {
    const Port& port = ports[channel.from];
    if (port.delays) first = std::min(first, port.delays->made.front_time());
    if (port.watchdog) first = std::min(first, port.watchdog->due());
  }
  channel.delayed_at = first;
}

}  // namespace softfeb::fabric
