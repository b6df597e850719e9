// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/device.hpp"

#include "dataplane/error.hpp"
#include "dataplane/log_collector.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include <net/if.h>
#include <netpacket/packet.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_ring.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace softfeb::dataplane {
namespace {

std::string need_text(const DeviceSpec& spec) {
  const std::string_view need = device_traits(spec.kind).need;
  return need.empty() ? "see softfeb doctor"
                      : "it needs " + std::string(need) + " (softfeb doctor lists the devices)";
}

/// Removes the socket file at `path` if no process listens on it, for example because its creator crashed.
/// DPDK would refuse to bind to an existing file.
void remove_stale_socket(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  sockaddr_un address{};
  if (!fs::is_socket(path, error) || path.size() >= sizeof address.sun_path) return;
  address.sun_family = AF_UNIX;
  std::copy(path.begin(), path.end(), address.sun_path);
  // Try to connect a datagram socket, because a process that listens on a stream socket does not notice this
  // attempt. connect() fails with EPROTOTYPE if a process listens, and with ECONNREFUSED if no process
  // listens.
  const int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
  if (fd < 0) return;
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 && errno == ECONNREFUSED) {
    fs::remove(path, error);
  }
  close(fd);
}

void check_surroundings(const DeviceSpec& spec) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (spec.kind == DeviceKind::kAfPacket && if_nametoindex(spec.argument.c_str()) == 0) {
    throw EnvironmentError("device '" + spec.text + "': no network interface " + spec.argument,
                           "list the interfaces with ip link");
  }
  const bool socket_file =
      spec.kind == DeviceKind::kVhost || (spec.kind == DeviceKind::kMemif && spec.argument.starts_with('/'));
  if (!socket_file) return;
  const fs::path parent = fs::absolute(spec.argument).parent_path();
  if (!fs::is_directory(parent, error)) {
    throw EnvironmentError("device '" + spec.text + "': no directory " + parent.string(),
                           "mkdir -p " + parent.string());
  }
  if (is_server(spec)) remove_stale_socket(spec.argument);
}

std::uint16_t find_port(const std::string& devargs) {
  rte_dev_iterator iterator;
  std::uint16_t port = RTE_MAX_ETHPORTS;
  if (rte_eth_iterator_init(&iterator, devargs.c_str()) != 0) return port;
  port = rte_eth_iterator_next(&iterator);
  if (port != RTE_MAX_ETHPORTS) rte_eth_iterator_cleanup(&iterator);
  return port;
}

std::uint32_t rx_room_demand(const DeviceSpec& spec, const std::string& devargs) {
  if (spec.kind != DeviceKind::kAfPacket) return 0;
  const std::size_t at = devargs.rfind("framesz=");
  return static_cast<std::uint32_t>(std::strtoul(devargs.c_str() + at + 8, nullptr, 10));
}

/// Returns this process's packet sockets on the interface of an AF_PACKET device. DPDK does not expose the
/// driver's sockets, so attach() assumes that all sockets that were opened during the probe are the driver's.
std::vector<int> packet_sockets(const DeviceSpec& spec) {
  std::vector<int> found;
  if (spec.kind != DeviceKind::kAfPacket) return found;
  const unsigned index = if_nametoindex(spec.argument.c_str());
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    const int fd = std::atoi(entry.path().filename().c_str());
    sockaddr_ll address{};
    socklen_t length = sizeof address;
    if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) == 0 &&
        address.sll_family == AF_PACKET && address.sll_ifindex == static_cast<int>(index)) {
      found.push_back(fd);
    }
  }
  return found;
}

void free_ring(rte_ring* ring) {
  void* packet = nullptr;
  while (rte_ring_dequeue(ring, &packet) == 0) rte_pktmbuf_free(static_cast<rte_mbuf*>(packet));
  rte_ring_free(ring);
}

}  // namespace

/// The rings of a net_ring link, one set per direction.
struct DeviceFactory::Link {
  std::array<std::vector<rte_ring*>, 2> rings;
  unsigned ends = 0;

  Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link() {
    for (auto& way : rings) std::for_each(way.begin(), way.end(), free_ring);
  }
};

Device::Device(DeviceSpec spec, std::uint16_t port_id, std::uint32_t min_rx_room, bool probed,
               std::vector<int> sockets)
    : spec_(std::move(spec)),
      port_id_(port_id),
      min_rx_room_(min_rx_room),
      probed_(probed),
      sockets_(std::move(sockets)) {}

Device::~Device() {
  rte_eth_dev_info info{};
  if (rte_eth_dev_is_valid_port(port_id_) == 0 || rte_eth_dev_info_get(port_id_, &info) != 0) return;
  if (probed_) {
    rte_dev_remove(info.device);
  } else {
    rte_eth_dev_close(port_id_);
  }
  std::error_code error;
  if (spec_.kind == DeviceKind::kVhost && std::filesystem::is_socket(spec_.argument, error)) {
    remove_stale_socket(spec_.argument);
  }
}

DeviceFactory::DeviceFactory() = default;
DeviceFactory::~DeviceFactory() = default;

std::unique_ptr<Device> DeviceFactory::attach_ring(const DeviceSpec& spec, const DeviceRequest& request) {
  std::unique_ptr<Link>& link = links_[spec.argument];
  if (!link) {
    link = std::make_unique<Link>();
    const unsigned size = std::bit_ceil(std::max<std::uint32_t>(64, request.descriptors));
    for (unsigned way = 0; way < 2; ++way) {
      for (unsigned queue = 0; queue < request.queues; ++queue) {
        const std::string name =
            "sf" + std::to_string(next_index_++) + (way == 0 ? "a" : "b") + std::to_string(queue);
        // Single producer and single consumer: each end of a queue belongs to one worker.
        rte_ring* ring = rte_ring_create(name.c_str(), size, SOCKET_ID_ANY,
                                         RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ);
        if (ring == nullptr) {
          throw EnvironmentError(
              "device '" + spec.text + "': not enough memory for a ring of " + std::to_string(size),
              "increase eal.memory or use fewer descriptors");
        }
        link->rings[way].push_back(ring);
      }
    }
  }
  if (link->ends == 2)
    throw RequestError("device '" + spec.text + "': link " + spec.argument + " already has two ends");
  if (link->rings[0].size() != request.queues) {
    throw RequestError(
        "device '" + spec.text + "': both ends of a link need the same number of queues, the other has " +
        std::to_string(link->rings[0].size()) + ", this one " + std::to_string(request.queues));
  }
  const auto& rx = link->rings[link->ends];
  const auto& tx = link->rings[1 - link->ends];
  const std::string name = "softfeb_ring" + std::to_string(next_index_++);
  LogCollector log;
  const int port = rte_eth_from_rings(name.c_str(), rx.data(), request.queues, tx.data(), request.queues, 0);
  if (port < 0)
    throw EnvironmentError("device '" + spec.text + "': " + rte_strerror(rte_errno) + ' ' + log.one_line(),
                           "");
  ++link->ends;
  return std::make_unique<Device>(spec, static_cast<std::uint16_t>(port), 0, true);
}

std::unique_ptr<Device> DeviceFactory::attach(const DeviceSpec& spec, const DeviceRequest& request) {
  if (spec.kind == DeviceKind::kRing) return attach_ring(spec, request);
  check_surroundings(spec);
  const std::string devargs = device_arguments(spec, request, next_index_++);
  const std::string name = devargs.substr(0, devargs.find(','));
  const bool pci = spec.kind == DeviceKind::kPci;
  std::uint16_t port = pci ? find_port(spec.argument) : std::uint16_t{RTE_MAX_ETHPORTS};
  const bool probe = port == RTE_MAX_ETHPORTS;
  const std::vector<int> others = packet_sockets(spec);
  if (probe) {
    LogCollector log;
    const int status = rte_dev_probe(devargs.c_str());
    if (status == 0) {
      if (pci || rte_eth_dev_get_port_by_name(name.c_str(), &port) != 0) port = find_port(name);
    }
    if (status != 0 || port == RTE_MAX_ETHPORTS) {
      std::string why = log.one_line();
      if (why.empty()) why = status != 0 ? rte_strerror(-status) : "no port was created";
      throw EnvironmentError("device '" + spec.text + "': " + why, need_text(spec));
    }
  }
  std::vector<int> sockets = packet_sockets(spec);
  std::erase_if(sockets, [&](int fd) { return std::find(others.begin(), others.end(), fd) != others.end(); });
  return std::make_unique<Device>(spec, port, rx_room_demand(spec, devargs), probe, std::move(sockets));
}

}  // namespace softfeb::dataplane
