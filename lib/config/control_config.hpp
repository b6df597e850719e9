// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/address.hpp"
#include "config/values.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::config {

/// Order of QPs in the slots of DCQCN registers.
enum class DcqcnSlots : std::uint8_t {
  kConfiguredFirst,  ///< QPs of the configuration, then those of the metadata bus
  kBusFirst,
};

/// Section `boards[].control`: slow control of the board (SRPv3 over RSSI over UDP).
struct ControlConfig {
  std::optional<IpAddress> listen;  ///< address of the sockets; none: no sockets
  std::uint16_t registers_port = 8192;
  std::uint16_t stream_port = 8193;
  bool in_band = false;  ///< answer UDP 8192 and 8193 at the board's own address
  /// Client networks that may connect, over sockets or in band; other clients get no response.
  std::vector<IpPrefix> allow;
  std::uint32_t max_connects_per_second = 20;  ///< per link; excess SYNs get no response
  std::string profile;                         ///< name of a firmware profile (board/profile.hpp)
  // Capacity of the metadata bus; powers of two.
  std::uint32_t pds = 1;
  std::uint32_t mrs = 2;  ///< per PD
  std::uint32_t qps = 1;
  std::uint32_t send_queue = 64;         ///< per bus QP: requests posted, not completed
  std::uint32_t window = 16;             ///< of those, sent and not acknowledged
  std::optional<IpAddress> remote;       ///< initial UdpEngine.ClientRemoteIp; none: no destination
  std::optional<std::size_t> responder;  ///< receiver that acts as the host, index into RunConfig::receivers
  DcqcnSlots slots = DcqcnSlots::kConfiguredFirst;
  Where where;
};

}  // namespace softfeb::config
