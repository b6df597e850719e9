// SPDX-License-Identifier: BSD-3-Clause
// Implements the pause frames of EcnSwitch.

#include "base/bytes.hpp"
#include "ecn_switch.hpp"
#include "roce/ip.hpp"
#include "roce/mac_control.hpp"
#include "simulated_time.hpp"

#include <array>

#include <ns3/simulator.h>

namespace softfeb::ns3model {

bool EcnSwitch::can_pause(std::size_t port, std::uint8_t queue) const {
  const roce::PauseMode mode = ports_[port]->flow_control;
  return mode == roce::PauseMode::kPause || (mode == roce::PauseMode::kPfc && config_.queues[queue].lossless);
}

/// Handles a pause frame that the neighbour at a port has sent.
void EcnSwitch::honour(std::size_t i, const ns3::Ptr<ns3::Packet>& frame) {
  ++counters_.consumed;
  std::array<std::uint8_t, roce::kMacControlSize> bytes{};
  const std::uint32_t size = frame->CopyData(bytes.data(), bytes.size());
  if (size < roce::kEthernetSize) return;
  const auto pause = roce::parse_mac_control(ByteSpan(bytes).first(size).subspan(roce::kEthernetSize));
  if (!pause) return;
  ++ports_[i]->counters.pause_rx;
  ports_[i]->told(*pause, now());
  ports_[i]->device->pull();
}

/// Pauses the neighbour at a port if it has filled its part of the buffer.
void EcnSwitch::pause(std::size_t i, std::uint8_t ingress_class) {
  SwitchPort& port = *ports_[i];
  const auto bit = static_cast<std::uint8_t>(1U << ingress_class);
  if ((port.stopped & bit) != 0) return;
  if (port.held[ingress_class] < config_.pause.xoff && port.headroom[ingress_class] == 0) return;
  port.stopped |= bit;
  port.mentioned |= bit;
  announce(i);
}

/// Resumes the neighbour at a port if enough of its frames have left.
void EcnSwitch::resume(std::size_t i, std::uint8_t ingress_class) {
  SwitchPort& port = *ports_[i];
  const auto bit = static_cast<std::uint8_t>(1U << ingress_class);
  if ((port.stopped & bit) == 0) return;
  if (port.held[ingress_class] > config_.pause.xon || port.headroom[ingress_class] != 0) return;
  port.stopped &= static_cast<std::uint8_t>(~bit);
  if (port.stopped == 0) port.renewal.Cancel();
  roce::MacControl frame;
  frame.enabled = bit;
  ++port.counters.resume_tx;
  send_control(i, frame);
}

/// Announces all pauses of a port. Repeats the announcement after half of the duration of the pauses.
void EcnSwitch::announce(std::size_t i) {
  SwitchPort& port = *ports_[i];
  roce::MacControl frame;
  frame.enabled = port.mentioned;
  for (std::size_t c = 0; c < SwitchPort::kQueues; ++c)
    if ((port.stopped >> c & 1) != 0) frame.quanta[c] = config_.pause.quanta;
  const Time half = roce::pause_time(config_.pause.quanta, port.device->byte_rate()) / 2;
  port.renewal.Cancel();
  port.renewal = ns3::Simulator::Schedule(to_ns3(half), &EcnSwitch::announce, this, i);
  ++port.counters.pause_tx;
  send_control(i, frame);
}

void EcnSwitch::send_control(std::size_t i, const roce::MacControl& control) {
  SwitchPort& port = *ports_[i];
  roce::MacControl pause = control;
  pause.kind = port.flow_control == roce::PauseMode::kPfc ? roce::MacControl::Kind::kPfc
                                                          : roce::MacControl::Kind::kPause;
  roce::MacAddress own{};
  ns3::Mac48Address::ConvertFrom(port.device->GetAddress()).CopyTo(own.data());
  const auto bytes = roce::write_mac_control(own, port.pause_to, pause);
  ++counters_.made;
  port.control.push_back(ns3::Create<ns3::Packet>(bytes.data(), static_cast<std::uint32_t>(bytes.size())));
  port.device->pull();
}

}  // namespace softfeb::ns3model
