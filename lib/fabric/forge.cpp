// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/forge.hpp"

#include "base/bytes.hpp"
#include "fabric/facts.hpp"
#include "fabric/network.hpp"
#include "roce/craft.hpp"
#include "roce/headers.hpp"

#include <algorithm>

namespace softfeb::fabric {

namespace {

/// Returns the path of a frame with kFactAck. All its headers through the BTH are known to be present.
roce::Path path_of(const Frame& frame) {
  roce::Path path;
  std::copy_n(frame.header, 6, path.dest_mac.begin());
  std::copy_n(frame.header + 6, 6, path.source_mac.begin());
  if ((frame.facts & kFactTagged) != 0)
    path.vlan = roce::VlanTag{static_cast<std::uint16_t>(load_be16(frame.header + 14) & 0xfff), frame.pcp};
  const std::uint8_t* const ip = frame.header + ip_offset(frame);
  const bool v6 = (frame.facts & kFactIpv6) != 0;
  path.source_ip = v6 ? roce::IpAddress::from_v6_wire(ip + 8) : roce::IpAddress::from_v4_wire(ip + 12);
  path.dest_ip = v6 ? roce::IpAddress::from_v6_wire(ip + 24) : roce::IpAddress::from_v4_wire(ip + 16);
  path.dscp = frame.dscp;
  path.ecn = roce::Ecn::kNotEct;
  path.udp_source_port = load_be16(ip + (v6 ? roce::kIpv6Size : roce::kIpv4Size));
  return path;
}

}  // namespace

bool ThroughputMeter::passes(std::uint64_t wire, Time now) {
  if (now >= begin_ + window_) {
    // The previous window counts only if it directly precedes this one. Otherwise, the windows in between had
    // no frames, so their throughput was below the threshold.
    above_ = now < begin_ + 2 * window_ && bytes_ > limit_;
    begin_ = now - now % window_;
    bytes_ = 0;
  }
  bytes_ += wire;
  return above_;
}

CnpForge::CnpForge(Time interval, std::size_t flows)
    : interval_(interval), pair_of_flow_(flows, kNone), known_(flows, false) {
  pairs_.reserve(kSenders);
  senders_.reserve(kSenders);
}

/// Finds a pair of stations. A linear search is fast enough because, unless the table of pairs is full, this
/// function is called only once for each flow.
std::uint32_t CnpForge::find_pair(std::uint32_t source, std::uint32_t destination) {
  const auto found = std::find_if(pairs_.begin(), pairs_.end(), [&](const Pair& p) {
    return p.source == source && p.destination == destination;
  });
  if (found != pairs_.end()) return static_cast<std::uint32_t>(found - pairs_.begin());
  if (pairs_.size() == kSenders) return kNone;
  pairs_.push_back({source, destination, kNone});
  return static_cast<std::uint32_t>(pairs_.size() - 1);
}

void CnpForge::acknowledgement(const Frame& frame, const FlowTable& flows) {
  if (known_[frame.flow]) return;
  known_[frame.flow] = true;
  if (senders_.size() == kSenders) return;
  // Requests go in the reverse direction, from the destination of the acknowledgement to its source.
  const FlowSnapshot& flow = flows.at(frame.flow);
  const std::uint32_t pair = find_pair(flow.destination, flow.source);
  if (pair == kNone) return;
  Sender sender;
  sender.path = roce::HeaderTemplate(path_of(frame));
  sender.qpn = flow.qpn;
  sender.next = pairs_[pair].first;
  pairs_[pair].first = static_cast<std::uint32_t>(senders_.size());
  senders_.push_back(sender);
}

std::size_t CnpForge::craft(Sender& sender, std::span<std::uint8_t, kMaxFrame> out) {
  std::array<std::uint8_t, 8> trailer{};
  const roce::Crafted crafted = roce::craft_cnp(sender.path, sender.qpn, roce::kDefaultPkey,
                                                sender.identification++, out.data(), trailer.data());
  std::copy_n(trailer.begin(), crafted.trailer_length, &out[crafted.header_length]);
  return std::size_t{crafted.header_length} + crafted.trailer_length;
}

}  // namespace softfeb::fabric
