// SPDX-License-Identifier: BSD-3-Clause
#include "device.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include <net/if.h>

namespace softfeb::sink {

namespace {

struct DeviceList {
  int count = 0;
  ibv_device** devices = ibv_get_device_list(&count);
  DeviceList() = default;
  DeviceList(const DeviceList&) = delete;
  DeviceList& operator=(const DeviceList&) = delete;
  ~DeviceList() {
    if (devices != nullptr) ibv_free_device_list(devices);
  }
};

std::vector<ibv_gid_entry> roce_v2_gids(ibv_context* context, std::uint8_t port) {
  std::vector<ibv_gid_entry> all(256);
  const ssize_t n = ibv_query_gid_table(context, all.data(), all.size(), 0);
  all.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
  std::erase_if(all, [port](const ibv_gid_entry& e) {
    return e.port_num != port || e.gid_type != IBV_GID_TYPE_ROCE_V2;
  });
  return all;
}

roce::IpAddress address_of(const ibv_gid_entry& entry) {
  return roce::IpAddress::from_v6_wire(entry.gid.raw);
}

bool link_local(const ibv_gid_entry& entry) { return entry.gid.raw[0] == 0xfe; }

std::optional<roce::MacAddress> mac_of(const std::string& interface) {
  std::ifstream file("/sys/class/net/" + interface + "/address");
  std::string text;
  return file >> text ? roce::parse_mac(text) : std::nullopt;
}

}  // namespace

Device::Device(const std::string& name, std::uint8_t port) : port_(port) {
  const DeviceList list;
  std::string seen;
  for (int i = 0; i < list.count && !context_; ++i) {
    const std::string found = ibv_get_device_name(list.devices[i]);
    seen += (seen.empty() ? "" : ", ") + found;
    if (!name.empty() && found != name) continue;
    ContextPtr context(ibv_open_device(list.devices[i]));
    if (!context) throw NoDevice(found + ": cannot be opened: " + std::strerror(errno));
    if (!name.empty() || !roce_v2_gids(context.get(), port).empty()) context_ = std::move(context);
  }
  if (context_) return;
  if (list.count == 0)
    throw NoDevice(
        "no RDMA device; for Soft-RoCE: run rdma link add rxe0 type rxe netdev eth0, and install "
        "ibverbs-providers");
  throw NoDevice(name.empty()
                     ? "no RDMA device (" + seen + ") has a RoCE v2 GID on port " + std::to_string(port) +
                           "; give its network interface an address and bring it up"
                     : "no RDMA device " + name + "; available: " + seen);
}

std::string Device::sysfs_port() const {
  return std::string(context_->device->ibdev_path) + "/ports/" + std::to_string(port_);
}

ibv_port_attr Device::port_attributes() const {
  ibv_port_attr attributes{};
  if (const int error = ibv_query_port(context_.get(), port_, &attributes); error != 0)
    throw NoDevice(name() + " has no port " + std::to_string(port_) + ": " + std::strerror(error));
  return attributes;
}

ibv_device_attr Device::attributes() const {
  ibv_device_attr attributes{};
  if (const int error = ibv_query_device(context_.get(), &attributes); error != 0)
    throw NoDevice(name() + ": " + std::strerror(error));
  return attributes;
}

DeviceLimits Device::limits() const {
  const ibv_device_attr attributes = this->attributes();
  return {attributes.max_cqe, attributes.max_qp_wr, attributes.max_srq, attributes.max_srq_wr};
}

std::string Device::driver() const {
  const std::filesystem::path folder = context_->device->ibdev_path;
  std::error_code error;
  const auto driver = std::filesystem::read_symlink(folder / "device/driver", error);
  if (!error) return driver.filename();
  // A software device has no parent device and thus no link to a driver. Among software devices, only
  // Soft-RoCE has a file `parent`, which names its network interface.
  return std::filesystem::exists(folder / "parent", error) ? "rdma_rxe" : "";
}

std::optional<Gid> Device::find_gid(const roce::IpAddress& peer, std::optional<int> index) const {
  std::vector<ibv_gid_entry> gids = roce_v2_gids(context_.get(), port_);
  std::erase_if(gids, [&](const ibv_gid_entry& e) {
    return index ? e.gid_index != static_cast<std::uint32_t>(*index) : address_of(e).is_v4() != peer.is_v4();
  });
  if (gids.empty()) return std::nullopt;
  const auto best = std::min_element(
      gids.begin(), gids.end(), [](const auto& a, const auto& b) { return link_local(a) < link_local(b); });
  Gid gid;
  gid.index = static_cast<int>(best->gid_index);
  gid.ip = address_of(*best);
  std::array<char, IF_NAMESIZE> interface {};
  if (if_indextoname(best->ndev_ifindex, interface.data()) != nullptr) {
    gid.interface = interface.data();
    gid.mac = mac_of(gid.interface);
  }
  return gid;
}

std::uint32_t mtu_bytes(ibv_mtu mtu) { return 128U << static_cast<unsigned>(mtu); }

ibv_mtu mtu_code(std::uint32_t bytes) {
  ibv_mtu mtu = IBV_MTU_256;
  while (mtu < IBV_MTU_4096 && mtu_bytes(mtu) < bytes) mtu = static_cast<ibv_mtu>(mtu + 1);
  return mtu;
}

}  // namespace softfeb::sink
