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

/// Returns the IPv4 UDP datagrams of a pcap file, in order. Skips other packets, fragments and truncated
/// packets. The file may have any byte order, and time stamps in microseconds or nanoseconds. Throws
/// std::runtime_error if the file is not a pcap file with Ethernet frames.
std::vector<CapturedDatagram> read_pcap(const std::filesystem::path& path);

}  // namespace softfeb::test
