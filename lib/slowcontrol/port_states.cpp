// SPDX-License-Identifier: BSD-3-Clause
#include "slowcontrol/port_states.hpp"

#include <array>
#include <string_view>

namespace softfeb::slowcontrol {

namespace {

constexpr Time kKeep = 2 * kMillisecond;

/// Names of one extended statistic (xstat) in different drivers. If a driver has several of these names,
/// their values are added.
using Names = std::array<std::string_view, 4>;
constexpr Names kRxPause{"rx_pause_packets", "rx_flow_control_xon_packets", "rx_flow_control_xoff_packets",
                         "rx_pause_ctrl_phy"};
constexpr Names kTxPause{"tx_pause_packets", "tx_flow_control_xon_packets", "tx_flow_control_xoff_packets",
                         "tx_pause_ctrl_phy"};
constexpr Names kCrcErrors{"rx_crc_errors", "mac_local_errors", "rx_crc_errors_phy", "rx_fcs_errors"};

std::uint64_t sum(const std::vector<std::pair<std::string, std::uint64_t>>& counters, const Names& names) {
  std::uint64_t total = 0;
  for (const auto& [name, value] : counters) {
    for (const std::string_view n : names) total += name == n ? value : 0;
  }
  return total;
}

board::PortState ask(const dataplane::Port& port, const board::PortState& before, bool known) {
  const dataplane::PortCounters c = port.counters();
  const auto extended = port.extended_counters();
  board::PortState s;
  s.link_up = port.link().up;
  s.link_ups = known ? before.link_ups + (s.link_up && !before.link_up ? 1 : 0) : (s.link_up ? 1 : 0);
  s.rx_frames = c.rx_packets;
  s.tx_frames = c.tx_packets;
  s.rx_pause = sum(extended, kRxPause);
  s.tx_pause = sum(extended, kTxPause);
  s.rx_overflow = c.rx_missed + c.rx_no_mbuf;
  s.rx_crc_errors = sum(extended, kCrcErrors);
  s.tx_underruns = c.tx_errors;
  return s;
}

}  // namespace

PortStates::PortStates(const std::vector<runtime::RunPort>& ports) : ports_(ports), entries_(ports.size()) {}

const board::PortState& PortStates::of(std::size_t port, Time now) {
  Entry& e = entries_[port];
  if (!e.known || now - e.asked >= kKeep) {
    e.state = ask(*ports_[port].port, e.state, e.known);
    e.asked = now;
    e.known = true;
  }
  return e.state;
}

}  // namespace softfeb::slowcontrol
