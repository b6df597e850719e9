// SPDX-License-Identifier: BSD-3-Clause
#include "control/datagram.hpp"

namespace softfeb::control {

std::string to_text(const UdpPeer& peer) {
  const std::string ip = peer.ip.to_string();
  return (peer.ip.is_v4() ? ip : "[" + ip + "]") + ":" + std::to_string(peer.port);
}

}  // namespace softfeb::control
