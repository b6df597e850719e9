// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <ns3/mac48-address.h>
#include <ns3/packet.h>
#include <ns3/ptr.h>

namespace softfeb::ns3model {

/// The fields of a frame on which a switch depends.
struct FrameFields {
  ns3::Mac48Address dest, source;
  bool mac_control = false;  ///< a pause frame
  std::uint8_t dscp = 0;     ///< 0 unless the frame is an IPv4 or IPv6 packet
  bool ecn_capable = false;  ///< the ECN field is ECT(0) or ECT(1)

  /// Reads the fields of a whole frame of at least 14 bytes, with or without an 802.1Q tag.
  static FrameFields of(const ns3::Packet& frame);
};

/// Sets CE in the IP header of a frame for which FrameFields::ecn_capable is true, and updates the checksum
/// of an IPv4 header.
void set_congestion_experienced(const ns3::Ptr<ns3::Packet>& frame);

}  // namespace softfeb::ns3model
