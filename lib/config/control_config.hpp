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

/// Which register slots show the DCQCN block of which QP.
enum class DcqcnSlots : std::uint8_t {
  kConfiguredFirst,  ///< the configuration's QPs, then those of the metadata bus
  kBusFirst,
};

/// Section `boards[].control`: the board answers its slow control (SRPv3 over RSSI over UDP).
struct ControlConfig {
  std::optional<IpAddress> listen;  ///< of the sockets; none: no sockets
  std::uint16_t registers_port = 8192;
  std::uint16_t stream_port = 8193;
  bool in_band = false;  ///< UDP 8192 and 8193 at the board's own address, on its port
  /// Networks that may connect, on either way; all others get no answer.
  std::vector<IpPrefix> allow;
  std::uint32_t max_connects_per_second = 20;  ///< of each link; SYNs beyond get no answer
  std::string profile;                         ///< name of a firmware profile of lib/board
  // What the metadata bus can hold; powers of two.
  std::uint32_t pds = 1;
  std::uint32_t mrs = 2;  ///< of each PD
  std::uint32_t qps = 1;
  std::uint32_t send_queue = 64;         ///< requests of a bus QP posted and not completed
  std::uint32_t window = 16;             ///< of those, sent and not acknowledged
  std::optional<IpAddress> remote;       ///< UdpEngine.ClientRemoteIp at start; none: nowhere
  std::optional<std::size_t> responder;  ///< index into RunConfig::receivers that plays the host
  DcqcnSlots slots = DcqcnSlots::kConfiguredFirst;
  Where where;
};

}  // namespace softfeb::config
