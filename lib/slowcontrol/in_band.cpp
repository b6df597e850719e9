// SPDX-License-Identifier: BSD-3-Clause
#include "slowcontrol/in_band.hpp"

#include "dataplane/path_mtu.hpp"
#include "dataplane/rx_segments.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <rte_mbuf.h>

namespace softfeb::slowcontrol {

using dataplane::ControlDatagram;
using dataplane::ControlExchange;

namespace {

/// Longest IP packet in bytes. RSSI segments have at most 8192 bytes, so buffers for a larger MTU would
/// waste memory.
constexpr std::uint32_t kLongestPacket = 9000;
constexpr std::uint32_t kShortestFrame = 60;  // minimum frame length, without FCS (IEEE 802.3)

}  // namespace

InBandLink::InBandLink(InBandPort& port, std::uint32_t endpoint, const engine::Identity& identity,
                       std::uint16_t udp_port, Allow allow)
    : port_(port),
      endpoint_(endpoint),
      identity_(identity),
      udp_port_(udp_port),
      max_datagram_(engine::max_udp_payload(port.config_.mtu, !identity.ip.is_v4())),
      allow_(std::move(allow)) {}

bool InBandLink::take(const engine::ReceivedDatagram& datagram, ByteSpan payload, Time now) {
  if (!allow_(datagram.source_ip)) return false;
  routes_.learn(datagram.source_ip, datagram.source_mac, user_->in_band_peer());
  user_->on_in_band_datagram({datagram.source_ip, datagram.source_port}, payload, now);
  return true;
}

void InBandLink::send(const srp::UdpPeer& to, ByteSpan datagram) {
  const auto mac = routes_.find(to.ip);
  if (!mac || datagram.size() > max_datagram_) {
    ++port_.counters_.tx_refused;
    return;
  }
  port_.send(endpoint_, identity_, {*mac, to.ip, to.port, udp_port_}, datagram);
}

InBandPort::InBandPort(const InBandConfig& config, ControlExchange& exchange, dataplane::Mempools& pools)
    : config_(config), exchange_(exchange) {
  config_.mtu = std::min(config_.mtu, kLongestPacket);
  // Reserve a buffer for every descriptor: a driver may free sent packets only when it needs their
  // descriptors.
  const std::uint32_t in_use = config_.descriptors + static_cast<std::uint32_t>(ControlExchange::kRoom);
  pool_ = pools.create("slow control frames", dataplane::pool_size(in_use, config_.lcores),
                       std::max(dataplane::frame_bytes_for(config_.mtu), kShortestFrame), 0, config_.socket);
}

InBandLink& InBandPort::serve(std::uint32_t endpoint, const engine::Identity& identity,
                              std::uint16_t udp_port, InBandLink::Allow allow) {
  auto& link = links_[{endpoint, udp_port}];
  link = std::make_unique<InBandLink>(*this, endpoint, identity, udp_port, std::move(allow));
  return *link;
}

std::size_t InBandPort::poll(Time now) {
  std::array<ControlDatagram, 32> batch;
  std::size_t total = 0;
  while (total < kPollShare) {
    const std::size_t n = exchange_.received().pop_bulk(batch);
    for (std::size_t i = 0; i < n; ++i) {
      take(batch[i], now);
      rte_pktmbuf_free(batch[i].packet);
    }
    total += n;
    if (n < batch.size()) break;
  }
  return total;
}

void InBandPort::take(const ControlDatagram& received, Time now) {
  Segments bytes;
  if (dataplane::to_segments(received.packet, bytes)) {
    if (const auto datagram = engine::parse_control_datagram(bytes)) {
      const auto at = links_.find({received.endpoint, datagram->dest_port});
      if (at != links_.end() && at->second->user_ != nullptr) {
        ++(at->second->take(*datagram, in_one_piece(datagram->payload), now) ? counters_.rx
                                                                             : counters_.rx_refused);
        return;
      }
    }
  }
  ++counters_.rx_unserved;
}

ByteSpan InBandPort::in_one_piece(const Segments& payload) {
  if (payload.empty()) return {};
  if (payload.count() == 1) return payload.part(0);
  scratch_.resize(payload.size());
  payload.copy(0, payload.size(), scratch_.data());
  return scratch_;
}

void InBandPort::send(std::uint32_t endpoint, const engine::Identity& from, const engine::DatagramRoute& to,
                      ByteSpan datagram) {
  rte_mbuf* const packet = rte_pktmbuf_alloc(pool_);
  if (packet == nullptr) {
    ++counters_.tx_dropped;
    return;
  }
  auto* const frame = rte_pktmbuf_mtod(packet, std::uint8_t*);
  std::size_t length = engine::write_control_frame(from, to, datagram, identification_++, frame);
  if (length < kShortestFrame) {
    std::memset(frame + length, 0, kShortestFrame - length);
    length = kShortestFrame;
  }
  packet->data_len = static_cast<std::uint16_t>(length);
  packet->pkt_len = static_cast<std::uint32_t>(length);
  if (exchange_.send({endpoint, packet})) {
    ++counters_.tx;
    return;
  }
  rte_pktmbuf_free(packet);
  ++counters_.tx_dropped;
}

}  // namespace softfeb::slowcontrol
