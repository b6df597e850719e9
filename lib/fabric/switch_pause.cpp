// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/network_impl.hpp"

#include <algorithm>

namespace softfeb::fabric {

/// Consumes a MAC control frame. Such frames are never forwarded (IEEE 802.3, clause 31), regardless of their
/// destination address.
void Network::Parts::receive_control(std::uint16_t p, Frame* frame, Time now) {
  Port& port = ports[p];
  const auto pause = control_of(*frame);
  ++totals.consumed;
  store.release(frame);
  if (!pause) return;
  ++port.counters.pause_rx;
  if (port.watchdog) port.watchdog->before_pause(port.told, now);
  port.told.told(*pause, now);
  if (port.watchdog) {
    port.watchdog->after_pause(port.told, port.queues.waiting(), now);
    set_delayed(port.channel);
  }
  transmit(p, now);
}

/// Sends a pause frame from port `p`, ahead of all data frames queued there.
void Network::Parts::send_pause(std::uint16_t p, const roce::MacControl& pause, Time now) {
  Port& port = ports[p];
  ++totals.made;
  Frame* const frame = store.make(roce::write_mac_control(port.own_mac, port.peer_mac, pause));
  if (frame == nullptr) {
    ++totals.dropped_store;
    port.sender.failed(now);
    note_renewal(port);
    schedule(port.channel);
    return;
  }
  const bool stop = std::any_of(pause.quanta.begin(), pause.quanta.end(), [](auto q) { return q != 0; });
  ++(stop ? port.counters.pause_tx : port.counters.resume_tx);
  frame->facts = kFactControl;
  frame->cch = 0;
  frame->destination = kNobody;
  frame->flow = kNoFlow;
  if (port.delays && port.delays->times.pause_generation != 0) {
    frame->at = now + port.delays->times.pause_generation;
    port.delays->made.push(frame);
    set_delayed(port.channel);
    schedule(port.channel);
    return;
  }
  port.control.push(frame);
  transmit(p, now);
}

/// Pauses the sender at port `ingress` if necessary. Call after a frame of this class from this port has been
/// buffered.
void Network::Parts::after_filling(Switch& sw, std::uint16_t ingress, std::uint8_t ingress_class, Time now) {
  PauseSender& sender = ports[ingress].sender;
  const std::size_t local = ingress - sw.first_port;
  const IngressAccount& account = sw.buffer.account(local);
  const auto pause = sender.filled(account, ingress_class, sw.buffer.free(), now);
  if (sw.resumptions)
    sw.resumptions->set(static_cast<std::uint32_t>(local * kQueues + ingress_class),
                        sender.resumes_at(account, ingress_class));
  if (!pause) return;
  note_renewal(ports[ingress]);
  send_pause(ingress, *pause, now);
}

/// Call after a frame of this class from port `ingress` has left the buffer. With a static threshold, resumes
/// the sender if possible. With a dynamic threshold, updates Switch::resumptions, so that resume_others() can
/// resume the sender. In this case, the function may also pause the sender, because other ports may have
/// filled the buffer since the previous frame of this class.
void Network::Parts::after_emptying(Switch& sw, std::uint16_t ingress, std::uint8_t ingress_class, Time now) {
  Port& port = ports[ingress];
  if (sw.resumptions) {
    const bool lossless = port.flow_control == PauseMode::kPause || sw.config->queues[ingress_class].lossless;
    if (lossless) after_filling(sw, ingress, ingress_class, now);
    return;
  }
  const auto resume =
      port.sender.emptied(sw.buffer.account(ingress - sw.first_port), ingress_class, sw.buffer.free());
  if (!resume) return;
  note_renewal(port);
  send_pause(ingress, *resume, now);
}

/// Resumes all paused senders for which enough bytes of the buffer are free. These may be other senders than
/// those whose frames have left the buffer.
void Network::Parts::resume_all(Switch& sw, Time now) {
  while (sw.resumptions->time() <= sw.buffer.free()) {
    const std::uint32_t party = sw.resumptions->party();
    const auto ingress = static_cast<std::uint16_t>(sw.first_port + party / kQueues);
    const auto ingress_class = static_cast<std::uint8_t>(party % kQueues);
    const auto resume =
        ports[ingress].sender.emptied(sw.buffer.account(party / kQueues), ingress_class, sw.buffer.free());
    sw.resumptions->set(party, kNever);
    if (!resume) continue;
    note_renewal(ports[ingress]);
    send_pause(ingress, *resume, now);
  }
}

}  // namespace softfeb::fabric
