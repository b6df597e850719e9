// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "roce/congestion_header.hpp"
#include "roce/headers.hpp"
#include "roce/ip.hpp"
#include "roce/path.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::test {

/// Byte offsets of the IP header, of the UDP header and of the UDP payload in a valid frame with UDP.
struct UdpPlace {
  std::size_t ip = 0, udp = 0, content = 0;
  bool v6 = false;
};
inline UdpPlace udp_place(const std::vector<std::uint8_t>& frame) {
  UdpPlace at;
  at.ip = roce::kEthernetSize;
  if (load_be16(&frame[12]) == roce::kEtherTypeVlan) at.ip += roce::kVlanTagSize;
  at.v6 = frame[at.ip] >> 4 == 6;
  at.udp = at.ip + (at.v6 ? roce::kIpv6Size : roce::kIpv4Size);
  at.content = at.udp + roce::kUdpHeaderSize;
  return at;
}

/// Returns a RoCEv2 frame with `cch` inserted between UDP header and BTH, and with UDP destination port
/// `port`.
inline std::vector<std::uint8_t> with_cch(std::vector<std::uint8_t> frame,
                                          const std::vector<std::uint8_t>& cch,
                                          std::uint16_t port = roce::kCongestionUdpPort) {
  const UdpPlace at = udp_place(frame);
  const auto lengthen = [&](std::size_t field) {
    store_be16(&frame[field], static_cast<std::uint16_t>(load_be16(&frame[field]) + cch.size()));
  };
  store_be16(&frame[at.udp + 2], port);
  lengthen(at.udp + 4);
  lengthen(at.ip + (at.v6 ? 4 : 2));
  if (!at.v6) {
    store_be16(&frame[at.ip + 10], 0);
    store_be16(&frame[at.ip + 10], roce::internet_checksum(ByteSpan(frame).subspan(at.ip, roce::kIpv4Size)));
  }
  frame.insert(frame.begin() + static_cast<std::ptrdiff_t>(at.content), cch.begin(), cch.end());
  return frame;
}

inline std::vector<std::uint8_t> int_cch() {
  std::vector<std::uint8_t> out(roce::CongestionHeader::kMaxSize);
  out.resize(roce::write_int_header(out.data()));
  return out;
}

inline std::vector<std::uint8_t> delay_cch(Time departure) {
  std::vector<std::uint8_t> out(roce::CongestionHeader::kMaxSize);
  out.resize(roce::write_delay_header(out.data(), departure));
  return out;
}

/// Returns the CCH of an acknowledgement.
inline std::vector<std::uint8_t> echo_of(std::vector<std::uint8_t> cch) {
  roce::make_echo(cch, 5 * kMicrosecond);
  return cch;
}

/// Returns the CCH of a control frame that grants credit.
inline std::vector<std::uint8_t> grant_cch() {
  std::vector<std::uint8_t> out(roce::CongestionHeader::kMaxSize);
  out.resize(roce::write_credit_header(out.data(), {roce::CreditBody::kGrant, 2, 100, 0}));
  return out;
}

}  // namespace softfeb::test
