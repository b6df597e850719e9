// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "srp/datagram.hpp"

#include <filesystem>
#include <vector>

namespace softfeb::test {

/// A UDP datagram of a capture.
struct CapturedDatagram {
  Time at = 0;  ///< time since the first packet of the file
  srp::UdpPeer from;
  srp::UdpPeer to;
  std::vector<std::uint8_t> bytes;
};

/// Returns the IPv4 UDP datagrams of a pcap file with Ethernet frames (any byte order, micro- or
/// nanoseconds), in order. Skips everything else, including fragments and truncated packets. Throws
/// std::runtime_error if the file is not of this kind.
std::vector<CapturedDatagram> read_pcap(const std::filesystem::path& path);

}  // namespace softfeb::test
