// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/marking.hpp"

#include "base/bytes.hpp"
#include "fabric/checksum.hpp"
#include "fabric/facts.hpp"

namespace softfeb::fabric {

bool ecn_capable(const Frame& frame) {
  if ((frame.facts & (kFactIpv4 | kFactIpv6)) == 0) return false;
  const std::uint8_t traffic_class = frame.header[ip_offset(frame) + 1];
  return ((frame.facts & kFactIpv6) != 0 ? traffic_class & 0x30 : traffic_class & 3) != 0;
}

void mark_congestion(Frame& frame) {
  std::uint8_t* const ip = frame.header + ip_offset(frame);
  frame.facts &= static_cast<std::uint8_t>(~kFactEct);
  if ((frame.facts & kFactIpv6) != 0) {
    ip[1] |= 0x30;
    return;
  }
  const std::uint32_t before = load_be16(ip);
  ip[1] |= 3;
  update_ipv4_checksum(ip, before, load_be16(ip));
}

}  // namespace softfeb::fabric
