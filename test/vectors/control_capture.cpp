// SPDX-License-Identifier: BSD-3-Clause
#include "control_capture.hpp"

#include <algorithm>
#include <stdexcept>

namespace softfeb::test {
namespace {

using srp::UdpPeer;

constexpr std::uint16_t kRegistersPort = 8192;
constexpr std::uint16_t kStreamPort = 8193;

bool is_server(const UdpPeer& peer) { return peer.port == kRegistersPort || peer.port == kStreamPort; }

bool is_first_syn(const srp::rssi::Segment& s) { return s.has(srp::rssi::kSyn) && !s.has(srp::rssi::kAck); }

}  // namespace

std::vector<CapturedConnection> control_captures(const std::filesystem::path& path) {
  std::vector<CapturedConnection> out;
  for (CapturedDatagram& d : read_pcap(path)) {
    const bool from_client = is_server(d.to);
    if (!from_client && !is_server(d.from)) continue;
    const UdpPeer& client = from_client ? d.from : d.to;
    const UdpPeer& server = from_client ? d.to : d.from;
    const auto parsed = srp::rssi::parse(d.bytes);
    if (!parsed) throw std::runtime_error(path.string() + ": not a sound RSSI segment");
    auto c = std::find_if(out.begin(), out.end(), [&](const auto& known) {
      return known.client == client && known.server == server;
    });
    if (c == out.end()) {
      if (!is_first_syn(*parsed)) continue;  // skip a connection whose start was not captured
      c = out.insert(out.end(), CapturedConnection{path.stem().string(), client, server, {}});
    }
    c->segments.push_back({d.at, from_client, std::move(d.bytes)});
  }
  return out;
}

void MessageCollector::push(ByteSpan packet) {
  packets_.emplace_back(packet.begin(), packet.end());
  switch (depacketizer_.push(packet)) {
    case srp::Depacketizer::Result::kPart:
      return;
    case srp::Depacketizer::Result::kDropped:
      throw std::runtime_error("a packet that the packetizer's rules forbid");
    case srp::Depacketizer::Result::kFrame:
      break;
  }
  const ByteSpan frame = depacketizer_.frame();
  messages_.push_back({{frame.begin(), frame.end()}, std::move(packets_)});
  packets_.clear();
}

void MessageCollector::reset() {
  depacketizer_.reset();
  packets_.clear();
}

}  // namespace softfeb::test
