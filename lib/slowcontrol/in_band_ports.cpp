// SPDX-License-Identifier: BSD-3-Clause
#include "slowcontrol/in_band_ports.hpp"

#include "endpoints/addresses.hpp"

namespace softfeb::slowcontrol {

InBandPort& InBandPorts::port_of(const config::EndpointConfig& endpoint) {
  const auto worker = static_cast<unsigned>(endpoint.worker);
  auto& in_band = ports_[{endpoint.port, worker}];
  if (in_band == nullptr) {
    const runtime::RunPort& port = dpdk_.ports()[endpoint.port];
    InBandConfig c;
    c.mtu = port.port->mtu();
    c.descriptors = config_.ports[endpoint.port].tx_descriptors;
    c.lcores = static_cast<unsigned>(config_.workers.count) + 1;
    c.socket = port.port->capabilities().socket;
    in_band = std::make_unique<InBandPort>(c, pool_.serve_control(endpoint.port, worker), dpdk_.pools());
  }
  return *in_band;
}

InBandLink& InBandPorts::serve(std::size_t board, std::uint16_t udp_port, InBandLink::Allow allow) {
  const config::EndpointConfig& endpoint = config_.boards[board].endpoint;
  return port_of(endpoint).serve(pool_.index_on_port(board), endpoints::identity_of(endpoint), udp_port,
                                 std::move(allow));
}

std::size_t InBandPorts::poll(Time now) {
  std::size_t n = 0;
  for (const auto& [key, port] : ports_) n += port->poll(now);
  return n;
}

}  // namespace softfeb::slowcontrol
