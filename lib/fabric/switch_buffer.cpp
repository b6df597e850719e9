// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/network_impl.hpp"

namespace softfeb::fabric {

/// Releases the buffer of a data frame that has left its queue for transmission, or to be dropped.
void Network::Parts::after_leaving(Port& port, Frame& frame, Time now) {
  port.end_blocking(now);
  if (port.mac) {
    fill_mac(port, frame.queue, now);
  } else {
    release_buffer(port, frame, now);
  }
}

/// Lets the MAC of a port take frames from a queue, and releases the buffer of these frames.
void Network::Parts::fill_mac(Port& port, std::size_t queue, Time now) {
  while (Frame* const frame = port.mac->take(queue)) release_buffer(port, *frame, now);
}

/// Releases the buffer of a data frame at egress port `port`, and calls after_emptying() for its ingress
/// port.
void Network::Parts::release_buffer(Port& port, Frame& frame, Time now) {
  Switch& sw = switches[port.switch_index];
  const std::size_t ingress = frame.ingress - sw.first_port;
  const auto egress = static_cast<std::size_t>(&port - ports.data()) - sw.first_port;
  if (frame.ingress == sw.end_port) {
    sw.buffer.release(frame, ingress, 0, egress);
    return;
  }
  Port& from = ports[frame.ingress];
  const std::uint8_t ingress_class = from.class_of(frame);
  sw.buffer.release(frame, ingress, ingress_class, egress);
  if (from.flow_control != PauseMode::kOff) after_emptying(sw, frame.ingress, ingress_class, now);
}

}  // namespace softfeb::fabric
