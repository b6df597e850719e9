// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "roce/ip.hpp"

#include <cstdint>
#include <string>

namespace softfeb::srp {

/// Remote end of a UDP exchange.
struct UdpPeer {
  roce::IpAddress ip;
  std::uint16_t port = 0;

  bool operator==(const UdpPeer&) const = default;
};

/// Formats address and port, for example "192.168.2.10:8192" or "[fd00::1]:8192".
inline std::string to_text(const UdpPeer& peer) {
  const std::string ip = peer.ip.to_string();
  return (peer.ip.is_v4() ? ip : "[" + ip + "]") + ":" + std::to_string(peer.port);
}

/// Transmits the datagrams of the protocol state machines, through a socket or as frames on the board's own
/// port.
class DatagramSink {
 public:
  virtual ~DatagramSink() = default;
  /// Sends the datagram at once or drops it; the protocols above retransmit lost datagrams. Must not reorder
  /// datagrams. `datagram` is valid only during the call.
  virtual void send(const UdpPeer& to, ByteSpan datagram) = 0;
};

}  // namespace softfeb::srp
