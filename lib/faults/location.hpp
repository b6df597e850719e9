// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "roce/congestion_header.hpp"
#include "roce/psn.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::faults {

/// Location of the headers of a RoCEv2 packet. locate_roce() reads the first bytes of an untrusted frame. It
/// returns nullopt if the frame is not a RoCEv2 packet, or if these bytes end before the end of the BTH. In a
/// frame to UDP port `cc_port`, a congestion control header precedes the BTH.
struct RoceLocation {
  std::uint16_t ip = 0;   ///< offset of the IP header in bytes
  std::uint16_t bth = 0;  ///< offset of the BTH in bytes
  bool ipv6 = false;
  roce::Qpn dest_qp = 0;
  roce::Psn psn = 0;
  std::uint16_t content = 0;  ///< offset of the UDP payload in bytes: the CCH if there is one, or the BTH
};
std::optional<RoceLocation> locate_roce(ByteSpan frame_begin,
                                        std::uint16_t cc_port = roce::kCongestionUdpPort);

}  // namespace softfeb::faults
