// SPDX-License-Identifier: BSD-3-Clause
#include "engine/traffic_gen.hpp"

#include "roce/headers.hpp"

#include <algorithm>
#include <cstring>

namespace softfeb::engine {

namespace {

constexpr std::uint64_t kTenGigabit = 1'250'000'000;
constexpr std::uint32_t kTail = 4;
constexpr std::size_t kUdpDestPort = 2;  ///< offset of the destination port in the UDP header

/// Bytes on the wire of a frame of `length` bytes without FCS. The minimum frame size is 64 bytes including
/// the 4 bytes of FCS, which kWireOverhead also contains.
std::uint64_t on_wire(std::uint64_t length) {
  return std::max<std::uint64_t>(length + 4, 64) + roce::kWireOverhead - 4;
}

/// Bytes on the wire of all packets of a WRITE. `headers` is the length of the headers from Ethernet to BTH.
std::uint64_t on_wire(std::uint64_t headers, std::uint32_t length, std::uint32_t pmtu) {
  std::uint64_t sum = 0;
  std::uint64_t extended = roce::Reth::kSize;
  for (std::uint32_t at = 0; at < length; at += pmtu) {
    const std::uint64_t padded = (std::uint64_t{std::min(pmtu, length - at)} + 3) / 4 * 4;
    sum += on_wire(headers + extended + padded + roce::kIcrcSize);
    extended = 0;
  }
  return sum;
}

}  // namespace

TrafficGen::TrafficGen(const TrafficGenConfig& config, const Identity& identity,
                       const NeighbourTable& neighbours)
    : config_(config),
      identity_(identity),
      neighbours_(neighbours),
      settings_(config.settings),
      spacing_(config.rate == 0 ? kTenGigabit : config.rate) {
  queue_pairs_.reserve(config.qps);
  config_.waits |= config.start;  // the board is not finished before its generator has started
  config_.path.ecn = roce::Ecn::kNotEct;
  set_headers();
}

void TrafficGen::write(const board::SetTrafficGen& registers, Time now) {
  settings_ = registers.settings;
  settings_.packet_size = std::clamp(settings_.packet_size, 1U, board::TrafficGenSettings::kLongest);
  const bool starts = registers.start && !busy_ && !stopped_;
  if (starts) {
    sent_ = 0;
    due_ = now;
    spacing_.restart();
    busy_ = true;
  }
  // A burst also ends if PacketCount is reduced to the number of packets already sent, or if it consists of
  // WRITEs and there are no queue pairs that could send them.
  const bool complete = settings_.packet_count != 0 && sent_ >= settings_.packet_count;
  if (registers.stop || complete || (mode() == Mode::kWrite && config_.qps == 0)) busy_ = false;
  if (starts && busy_) ++counters_.bursts;
  set_destination(now);
}

void TrafficGen::start(Time now) {
  stopped_ = false;
  if (!config_.start) return;
  config_.waits = false;
  write({.settings = settings_, .start = true}, now);
}

void TrafficGen::stop() {
  stopped_ = true;
  busy_ = false;
  hop_.set(std::nullopt, neighbours_, 0);
}

/// Requests a MAC address only when there are datagrams to send to it.
void TrafficGen::set_destination(Time now) {
  std::optional<roce::IpAddress> hop;
  if (busy_ && mode() == Mode::kUdp && settings_.dest_ip != 0 && identity_.ip.is_v4()) {
    const auto to = roce::IpAddress::from_v4(settings_.dest_ip);
    hop = identity_.next_hop(to);
    if (to != config_.path.dest_ip) {
      config_.path.dest_ip = to;
      set_headers();
    }
  }
  hop_.set(hop, neighbours_, now);
}

void TrafficGen::set_headers() { headers_ = roce::HeaderTemplate(config_.path); }

/// Records that a packet was sent, and schedules the next one. The gap starts at the end of the packet, so a
/// packet that waited for the link delays the packets behind it.
void TrafficGen::took_packet(std::uint64_t wire_bytes, Time now) {
  const Time begin = std::max(due_, now > config_.slack ? now - config_.slack : 0);
  const Time end = begin + spacing_.next(wire_bytes);
  due_ = end + settings_.gap * board::TrafficGenSettings::kClock;
  counters_.first = std::min(counters_.first, begin);
  counters_.end = end;
  ++sent_;
  if (settings_.packet_count != 0 && sent_ >= settings_.packet_count) busy_ = false;
}

void TrafficGen::write_datagram(std::uint16_t identification, Time now, TxFrame& out) {
  const std::uint32_t length = std::min(settings_.packet_size, config_.largest_datagram);
  const auto port = static_cast<std::uint16_t>(settings_.dest_port + stream());
  headers_.set_dest_mac(*hop_.mac());
  headers_.write(out.header, length, identification);
  out = TxFrame{.header = out.header};
  out.header_length = static_cast<std::uint16_t>(headers_.size());
  store_be16(out.header + headers_.size() - roce::kUdpHeaderSize + kUdpDestPort, port);
  // Put the last bytes of the payload into the trailer. A port that attaches the payload sends the trailer as
  // a separate segment, and this segment must not be empty.
  const std::uint32_t tail = length > kTail ? kTail : 0;
  out.payload = config_.payload->bytes(sent_, length);
  out.payload_length = length - tail;
  out.trailer_length = static_cast<std::uint8_t>(tail);
  std::memcpy(out.trailer.data(), out.payload + out.payload_length, tail);
  ++counters_.datagrams;
  counters_.datagram_bytes += length;
  took_packet(on_wire(out.length()), now);
}

roce::WorkRequest TrafficGen::take_write(Time now) {
  QueuePair& qp = queue_pairs_[queue_pair()];
  const GeneratedWrites& c = qp.config;
  roce::WorkRequest w;
  w.id = qp.writes;
  w.remote_address = c.address + qp.writes % c.slots * c.slot_bytes;
  w.rkey = c.rkey;
  w.length = std::min(settings_.packet_size, c.slot_bytes);
  w.payload_offset = qp.bytes;
  ++qp.writes;
  qp.bytes += w.length;
  ++counters_.writes;
  counters_.write_bytes += w.length;
  took_packet(on_wire(c.headers, w.length, c.pmtu), now);
  return w;
}

}  // namespace softfeb::engine
