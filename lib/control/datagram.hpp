// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "roce/ip.hpp"

#include <cstdint>
#include <string>

namespace softfeb::control {

/// The other end of a UDP exchange.
struct UdpPeer {
  roce::IpAddress ip;
  std::uint16_t port = 0;

  bool operator==(const UdpPeer&) const = default;
};

/// "192.168.2.10:8192", "[fd00::1]:8192".
std::string to_text(const UdpPeer& peer);

/// Where the protocol machines put the datagrams they want sent: a socket, or frames of the board's own port.
class DatagramSink {
 public:
  virtual ~DatagramSink() = default;
  /// Sends at once or drops: UDP promises nothing, and the machines above repeat what is lost. Order is kept.
  /// The bytes are the callee's only for the length of the call.
  virtual void send(const UdpPeer& to, ByteSpan datagram) = 0;
};

}  // namespace softfeb::control
