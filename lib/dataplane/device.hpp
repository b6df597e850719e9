// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/port_options.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace softfeb::dataplane {

using engine::DeviceKind;

/// Source of the link's MTU.
enum class MtuSource : std::uint8_t {
  kFixed,  ///< the driver, which does not allow other values
  kPort,   ///< the port; rte_eth_dev_set_mtu() can change the MTU
  /// The kernel interface behind the port; the driver reports 1514 bytes regardless of the interface's MTU.
  kKernel,
  kNothing,  ///< none: only the sizes of buffers limit the length of frames
};

/// Properties of a kind of device, known before probing. The table is in device_text.cpp.
struct DeviceTraits {
  DeviceKind kind;
  /// Prefix of the device text, and name of the DPDK driver; empty for kPci and kRaw.
  std::string_view prefix;
  std::string_view argument;  ///< syntax of the text after the colon, for messages
  std::string_view options;   ///< default devargs; devargs that the user gives take precedence
  MtuSource mtu;
  /// If true, the device may drop frames for other MAC addresses while it is not promiscuous.
  bool filters_mac;
  /// True if the device accepts chained mbufs although it does not announce RTE_ETH_TX_OFFLOAD_MULTI_SEGS.
  bool takes_chains;
  std::string_view need;  ///< what the user must provide, for `softfeb doctor` and messages
};
std::span<const DeviceTraits> device_table();
const DeviceTraits& device_traits(DeviceKind kind);

/// A parsed device text: `net_af_packet:eth1,qpairs=2`, `net_ring:link0`, `net_vhost:/run/vu.sock,client`,
/// `net_tap:tap0`, `net_null`, `net_pcap:rx_pcap=in.pcap,tx_pcap=out.pcap`, `net_memif:/run/m.sock,client`,
/// `0000:3b:00.0,devargs`. Other names that DPDK knows, such as `net_virtio_user0,path=…`, are passed on
/// unchanged.
struct DeviceSpec {
  DeviceKind kind = DeviceKind::kRaw;
  std::string text;  ///< as given by the user
  /// Part between the colon and the first comma (interface, link, socket, …), if this part is not an option.
  /// For kPci, the PCI address; for kRaw, the whole text.
  std::string argument;
  std::vector<std::pair<std::string, std::string>> options;  ///< key=value; a key alone has an empty value
};
/// Parses the text of a device. Throws RequestError, which names the error and the correct form.
DeviceSpec parse_device(std::string_view text);

/// True if the device creates the socket that its argument names. This is the case for net_vhost and
/// net_memif devices without the option `client`.
bool is_server(const DeviceSpec& spec);

/// Sizes with which a device is created.
struct DeviceRequest {
  std::uint16_t queues = 1;          ///< number of queues in each direction
  std::uint32_t frame_bytes = 1518;  ///< longest Ethernet frame in bytes, without FCS
  std::uint32_t descriptors = 1024;  ///< number of descriptors per queue
};

/// Returns the devargs for rte_dev_probe(), with the table's defaults and the sizes filled in. `index` makes
/// vdev names unique. Returns the text of kPci and kRaw unchanged. Must not be called for kRing.
std::string device_arguments(const DeviceSpec& spec, const DeviceRequest& request, unsigned index);

/// Size in bytes of an AF_PACKET ring slot that holds a frame of `frame_bytes`: a power of two. The data
/// room of receive mbufs must not be smaller than this.
std::uint32_t af_packet_frame_slot(std::uint32_t frame_bytes);

/// A DPDK port, attached but not configured. The destructor detaches the DPDK port; destroy the Port object
/// first.
class Device {
 public:
  Device(DeviceSpec spec, std::uint16_t port_id, std::uint32_t min_rx_room, bool probed,
         std::vector<int> sockets = {});
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceSpec& spec() const { return spec_; }
  const DeviceTraits& traits() const { return device_traits(spec_.kind); }
  std::uint16_t port_id() const { return port_id_; }
  /// Minimum data room of a receive mbuf in bytes; 0 if the driver requires none.
  std::uint32_t min_rx_room() const { return min_rx_room_; }
  /// The packet sockets of net_af_packet, readable when packets have arrived; empty for other drivers. The
  /// driver owns the sockets: poll them, but never read or close them.
  const std::vector<int>& sockets() const { return sockets_; }

 private:
  DeviceSpec spec_;
  std::uint16_t port_id_;
  std::uint32_t min_rx_room_;
  bool probed_;
  std::vector<int> sockets_;
};

/// Creates devices, and owns the rings of all net_ring links. Must outlive its devices.
class DeviceFactory {
 public:
  DeviceFactory();
  ~DeviceFactory();

  /// Creates and attaches a device. Throws EnvironmentError, for example if the interface does not exist or a
  /// privilege is missing. Throws RequestError, for example for a third end of a link.
  std::unique_ptr<Device> attach(const DeviceSpec& spec, const DeviceRequest& request);

 private:
  struct Link;
  std::unique_ptr<Device> attach_ring(const DeviceSpec& spec, const DeviceRequest& request);

  unsigned next_index_ = 0;
  std::map<std::string, std::unique_ptr<Link>> links_;
};

}  // namespace softfeb::dataplane
