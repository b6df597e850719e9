// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/frame.hpp"
#include "roce/icrc.hpp"
#include "roce/packet.hpp"
#include "roce/path.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::test {

struct FrameOptions {
  bool ipv6 = false;
  bool vlan = false;
  std::uint32_t payload = 64;
  roce::Qpn qpn = 0x11;
  roce::Psn psn = 0;
  roce::Ecn ecn = roce::Ecn::kEct0;
};

/// Returns a complete WRITE Only frame with valid checksums.
inline std::vector<std::uint8_t> roce_frame(const FrameOptions& o = {}) {
  roce::Path path;
  path.dest_mac = {2, 0, 0, 0, 0, 2};
  path.source_mac = {2, 0, 0, 0, 0, 1};
  if (o.vlan) path.vlan = roce::VlanTag{7, 3};
  path.source_ip = *roce::IpAddress::parse(o.ipv6 ? "fd00::1" : "10.0.0.1");
  path.dest_ip = *roce::IpAddress::parse(o.ipv6 ? "fd00::2" : "10.0.0.2");
  path.ecn = o.ecn;
  const roce::HeaderTemplate headers(path);
  roce::RequestPacket request;
  request.opcode = 0x0a;  // RC RDMA WRITE Only
  request.psn = o.psn;
  request.payload_length = o.payload;
  request.reth = {0x1000, 0x77, o.payload};
  std::vector<std::uint8_t> frame(headers.size() + roce::kMaxTransportHeaders);
  frame.resize(headers.size() +
               roce::encode_request(request, o.qpn, roce::kDefaultPkey, frame.data() + headers.size()));
  for (std::uint32_t i = 0; i < o.payload; ++i) frame.push_back(static_cast<std::uint8_t>(i * 7));
  headers.write(frame.data(), static_cast<std::uint32_t>(frame.size() - headers.size() + roce::kIcrcSize), 9);
  const std::uint32_t icrc = roce::icrc_of(ByteSpan(frame).subspan(headers.ip_offset()));
  frame.resize(frame.size() + roce::kIcrcSize);
  store_le32(frame.data() + frame.size() - roce::kIcrcSize, icrc);
  return frame;
}

/// Returns true if the frame is well-formed up to UDP and its iCRC is valid.
inline bool believable(const std::vector<std::uint8_t>& frame) {
  const roce::ParsedFrame parsed = roce::parse_frame(ByteSpan(frame));
  return parsed.kind == roce::FrameKind::kUdp && roce::icrc_matches(parsed);
}

}  // namespace softfeb::test
