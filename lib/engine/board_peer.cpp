// SPDX-License-Identifier: BSD-3-Clause
// Destination of the metadata bus's queue pairs: one per board, which may change at any time.
#include "engine/board.hpp"

namespace softfeb::engine {

namespace {

constexpr Time kAskAgain = 1 * kSecond;  // RFC 1122 section 2.3.2.1: at most one per second

bool nowhere(const roce::IpAddress& ip) { return ip == roce::IpAddress{} || (ip.is_v4() && ip.v4() == 0); }

}  // namespace

void Board::act(const board::SetDestination& a, Time now) {
  if (slots_.empty()) return;
  const bool same_host = a.ip == bus_peer_.destination.ip;
  bus_peer_.destination = a;
  if (!same_host) choose_next_hop(now);
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const auto i = static_cast<std::uint32_t>(first_bus_ + k);
    direct_bus_qp(i);
    settle(i, now);
  }
}

void Board::choose_next_hop(Time now) {
  const roce::IpAddress& to = bus_peer_.destination.ip;
  bus_peer_.next_hop.reset();
  bus_peer_.mac.reset();
  bus_peer_.retry_at = kNever;
  if (nowhere(to) || to.is_v4() != identity().ip.is_v4()) return;
  bus_peer_.next_hop = identity().next_hop(to);
  bus_peer_.mac = host_.neighbours().find(*bus_peer_.next_hop, now);
  if (!bus_peer_.mac) bus_peer_.retry_at = now;
}

/// Sets the path of the QP's packets to the destination of the metadata bus.
void Board::direct_bus_qp(std::uint32_t i) {
  SendQp& qp = qps_[i];
  if (!bus_peer_.next_hop) {
    qp.clear_path();
    return;
  }
  const board::QpContext& c = slot_of(i).context;
  roce::Path path = bus_.qp.path;
  path.dest_ip = bus_peer_.destination.ip;
  path.udp_dest_port = bus_peer_.destination.udp_port;
  path.udp_source_port = roce::source_port(bus_.source_port, i, c.qpn, c.dest_qpn);
  qp.set_path(path);
  if (bus_peer_.mac) qp.set_dest_mac(*bus_peer_.mac);
}

/// True if a request for the next hop's MAC address must be sent at `now`. Repeats without limit.
bool Board::ask_bus_peer(Time now) {
  if (bus_peer_.retry_at > now) return false;
  if (const auto mac = host_.neighbours().find(*bus_peer_.next_hop, now)) {
    tell_bus_peer(*mac, now);
    return false;
  }
  bus_peer_.retry_at = now + kAskAgain;
  return true;
}

void Board::tell_bus_peer(const roce::MacAddress& mac, Time now) {
  bus_peer_.mac = mac;
  bus_peer_.retry_at = kNever;
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const auto i = static_cast<std::uint32_t>(first_bus_ + k);
    qps_[i].set_dest_mac(mac);
    settle(i, now);
  }
}

}  // namespace softfeb::engine
