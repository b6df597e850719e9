// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "config/fault_config.hpp"
#include "config/values.hpp"
#include "engine/port_options.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace softfeb::config {

using engine::DeviceKind;

/// Device of a port, parsed as far as the configuration checks need it. The data plane parses `text`.
struct Device {
  DeviceKind kind = DeviceKind::kNull;
  std::string text;  ///< device as written in the file
  /// Name of the link, interface or socket: the text between the colon and the first comma. For a PCI
  /// device, its address.
  std::string name;
};

using engine::CaptureMode;
using engine::FlowControl;
using engine::Pacing;
using engine::Promiscuous;
using engine::SteeringTier;

/// With kAuto, payload is sent without a copy if the port supports packets of several segments. With kOne,
/// every packet has one segment, into which the payload is copied.
enum class TxSegments : std::uint8_t { kAuto, kOne };

enum class CaptureDirection : std::uint8_t { kBoth, kRx, kTx };

/// A bounded capture to a pcap file.
struct CaptureConfig {
  std::string file;
  std::uint64_t packets = 10'000;  ///< maximum number of packets in the file
  CaptureMode on = CaptureMode::kFirst;
  std::uint32_t snaplen = 65'535;  ///< bytes captured of each packet
  CaptureDirection direction = CaptureDirection::kBoth;
  Where where;
};

struct PortConfig {
  std::string name;
  std::string host_name;            ///< as in the file; empty if not given
  std::optional<std::size_t> host;  ///< index into RunConfig::hosts; empty if there are no `hosts`
  Device device;
  /// MTU of IP packets in bytes, as in DPDK and Linux. If empty, the device's MTU is not changed.
  std::optional<std::uint32_t> mtu;
  FlowControl flow_control = FlowControl::kLeave;
  Promiscuous promiscuous = Promiscuous::kAuto;
  /// Highest steering tier that may be used. If empty, every tier that the port supports may be used. With
  /// kSoftware, only the software classifier is used.
  std::optional<SteeringTier> steering;
  TxSegments tx_segments = TxSegments::kAuto;
  Pacing pacing = Pacing::kSoftware;
  /// With kTimestamp pacing: delay from a packet's scheduled time to its departure.
  Time pacing_horizon = 20 * kMicrosecond;
  std::uint16_t rx_descriptors = 1024;  ///< requested number; adjusted to the device's limits
  std::uint16_t tx_descriptors = 1024;
  FaultConfig faults;
  std::optional<CaptureConfig> capture;
  Where where;
};

/// Parses `device` of a port (see DeviceKind for the forms).
Parsed<Device> parse_device(const std::string& text);

}  // namespace softfeb::config
