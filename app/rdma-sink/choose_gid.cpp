// SPDX-License-Identifier: BSD-3-Clause
#include "choose_gid.hpp"

#include "refusal.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace softfeb::sink {

namespace {

using namespace std::chrono_literals;

/// Waits until the port is active. The link may come up shortly after the client has connected, for example
/// with vhost-user or after a cable was plugged in.
ibv_port_attr wait_active(const Device& device) {
  ibv_port_attr port = device.port_attributes();
  for (int i = 0; i < 100 && port.state != IBV_PORT_ACTIVE; ++i) {
    std::this_thread::sleep_for(50ms);
    port = device.port_attributes();
  }
  if (port.state != IBV_PORT_ACTIVE)
    throw Refusal("port " + std::to_string(device.port()) + " of " + device.name() + " is " +
                  ibv_port_state_str(port.state) + "; fix: bring its network interface and link up");
  return port;
}

}  // namespace

Gid choose_gid(const Device& device, const Options& options, const roce::IpAddress& peer,
               std::uint32_t pmtu) {
  const ibv_port_attr port = wait_active(device);
  const std::uint32_t active = mtu_bytes(port.active_mtu);
  if (pmtu > std::min(active, options.mtu))
    throw Refusal("path MTU " + std::to_string(pmtu) + " requested, but the receiver supports at most " +
                  std::to_string(std::min(active, options.mtu)) +
                  (active < pmtu
                       ? "; fix: use a smaller one, or a larger MTU of the receiver's network interface"
                       : "; fix: use a smaller one, or increase rdma-sink --mtu"));
  const auto gid = device.find_gid(peer, options.gid_index);
  if (!gid)
    throw Refusal(options.gid_index ? "GID index " + std::to_string(*options.gid_index) +
                                          " is not a RoCE v2 GID; see "
                                          "/sys/class/infiniband/*/ports/1/gids"
                                    : std::string("the receiver has no RoCE v2 GID for ") +
                                          (peer.is_v4() ? "IPv4" : "IPv6") +
                                          "; fix: give its network interface an address of that family");
  return *gid;
}

}  // namespace softfeb::sink
