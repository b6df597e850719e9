// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace softfeb::dataplane {

enum class DeviceKind : std::uint8_t { kNull, kRing, kMemif, kPcap, kAfPacket, kTap, kVhost, kPci, kRaw };

/// Where the link's MTU is decided.
enum class MtuSource : std::uint8_t {
  kFixed,    ///< the driver's own, not to be changed
  kPort,     ///< rte_eth_dev_set_mtu()
  kKernel,   ///< the kernel interface behind it: the driver reports a frame of 1514 bytes whatever the
             ///< interface carries
  kNothing,  ///< nothing limits frames but buffers
};

/// What is known of a kind of device before it is probed. One table, in device.cpp.
struct DeviceTraits {
  DeviceKind kind;
  std::string_view prefix;    ///< of the device text, and the DPDK driver's name
  std::string_view argument;  ///< what follows the colon, for messages
  std::string_view options;   ///< devargs always given; the user's win
  MtuSource mtu;
  bool filters_mac;       ///< frames for other MAC addresses may be hidden from us unless promiscuous
  bool takes_chains;      ///< sends mbuf chains although it does not announce RTE_ETH_TX_OFFLOAD_MULTI_SEGS
  std::string_view need;  ///< what the user must have, for doctor and messages
};
std::span<const DeviceTraits> device_table();
const DeviceTraits& device_traits(DeviceKind kind);

/// A device text taken apart: `net_af_packet:eth1,qpairs=2`, `net_ring:link0`,
/// `net_vhost:/run/vu.sock,client`, `net_tap:tap0`, `net_null`, `net_pcap:rx_pcap=in.pcap,tx_pcap=out.pcap`,
/// `net_memif:/run/m.sock,client`, `0000:3b:00.0,devargs`, `net_virtio_user0,path=…` (anything else that DPDK
/// knows, passed on as it is).
struct DeviceSpec {
  DeviceKind kind = DeviceKind::kRaw;
  std::string text;  ///< as given
  std::string
      argument;  ///< after the colon: interface, link, socket, …; the PCI address; the whole text of kRaw
  std::vector<std::pair<std::string, std::string>> options;  ///< key=value, or key alone with an empty value
};
/// Throws RequestError that says what is wrong and how it should look.
DeviceSpec parse_device(std::string_view text);

/// Sizes a device is made for.
struct DeviceRequest {
  std::uint16_t queues = 1;          ///< each way
  std::uint32_t frame_bytes = 1518;  ///< longest Ethernet frame, without FCS
  std::uint32_t descriptors = 1024;  ///< per queue
};

/// Devargs for rte_dev_probe(), defaults of the table and sizes filled in; `index` makes vdev names unique.
/// Not for kRing.
std::string device_arguments(const DeviceSpec& spec, const DeviceRequest& request, unsigned index);

/// Frame slot of an AF_PACKET ring that holds such a frame: a power of two. The mbufs' room must not be
/// smaller.
std::uint32_t af_packet_frame_slot(std::uint32_t frame_bytes);

/// A DPDK port that exists: attached, not configured. Detached at destruction (close its Port first).
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
  /// Bytes a receive mbuf must take in one segment (0: no demand).
  std::uint32_t min_rx_room() const { return min_rx_room_; }
  /// net_af_packet's own packet sockets, readable when something has arrived; empty for other drivers. They
  /// are the driver's: to be polled, never read or closed.
  const std::vector<int>& sockets() const { return sockets_; }

 private:
  DeviceSpec spec_;
  std::uint16_t port_id_;
  std::uint32_t min_rx_room_;
  bool probed_;
  std::vector<int> sockets_;
};

/// Makes devices, and remembers the links whose other end is still to come. Outlives its devices.
class DeviceFactory {
 public:
  DeviceFactory();
  ~DeviceFactory();

  /// Throws EnvironmentError (no such interface, no right, …) or RequestError (third end of a link, …).
  std::unique_ptr<Device> attach(const DeviceSpec& spec, const DeviceRequest& request);

 private:
  struct Link;
  std::unique_ptr<Device> attach_ring(const DeviceSpec& spec, const DeviceRequest& request);

  unsigned next_index_ = 0;
  std::map<std::string, std::unique_ptr<Link>> links_;
};

}  // namespace softfeb::dataplane
