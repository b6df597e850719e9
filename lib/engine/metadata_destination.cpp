// SPDX-License-Identifier: BSD-3-Clause
// Sets the destination of the metadata bus's queue pairs. A board has one destination for all of these queue
// pairs, and this destination may change at any time.
#include "engine/metadata_qps.hpp"

#include <algorithm>

namespace softfeb::engine {

namespace {

constexpr Time kAskAgain = 1 * kSecond;  // RFC 1122 section 2.3.2.1: at most one request per second

bool nowhere(const roce::IpAddress& ip) { return ip == roce::IpAddress{} || (ip.is_v4() && ip.v4() == 0); }

}  // namespace

void MetadataQps::apply(const board::SetDestination& a, Time now) {
  if (slots_.empty()) return;
  const bool same_host = a.ip == peer_.destination.ip;
  peer_.destination = a;
  if (!same_host) choose_next_hop(now);
  for (auto i = static_cast<std::uint32_t>(first_); i < end(); ++i) {
    set_path(i);
    deps_.reschedule(i, now);
  }
}

void MetadataQps::choose_next_hop(Time now) {
  const roce::IpAddress& to = peer_.destination.ip;
  peer_.next_hop.reset();
  peer_.mac.reset();
  peer_.retry_at = kNever;
  if (nowhere(to) || to.is_v4() != deps_.identity.ip.is_v4()) return;
  peer_.next_hop = deps_.identity.next_hop(to);
  peer_.mac = deps_.neighbours.find(*peer_.next_hop, now);
  if (!peer_.mac) peer_.retry_at = now;
}

/// Sets the path of QP `i` to the destination.
void MetadataQps::set_path(std::uint32_t i) {
  SendQp& qp = deps_.qps[i];
  if (!peer_.next_hop) {
    qp.clear_path();
    return;
  }
  const board::QpContext& c = slot(i).context;
  roce::Path path = config_.qp.path;
  path.dest_ip = peer_.destination.ip;
  path.udp_dest_port = peer_.destination.udp_port;
  path.udp_source_port = roce::source_port(config_.source_port, i, c.qpn, c.dest_qpn);
  qp.set_path(path);
  if (peer_.mac) qp.set_dest_mac(*peer_.mac);
}

bool MetadataQps::take_neighbour_request(Time now) {
  if (peer_.retry_at > now) return false;
  if (const auto mac = deps_.neighbours.find(*peer_.next_hop, now)) {
    set_dest_mac(*mac, now);
    return false;
  }
  peer_.retry_at = now + kAskAgain;
  return true;
}

void MetadataQps::neighbour_learned(const roce::IpAddress& ip, const roce::MacAddress& mac, Time now) {
  if (peer_.next_hop == ip) set_dest_mac(mac, now);
}

void MetadataQps::set_dest_mac(const roce::MacAddress& mac, Time now) {
  peer_.mac = mac;
  peer_.retry_at = kNever;
  for (auto i = static_cast<std::uint32_t>(first_); i < end(); ++i) {
    deps_.qps[i].set_dest_mac(mac);
    deps_.reschedule(i, now);
  }
}

bool MetadataQps::unresolved() const {
  return peer_.next_hop && !peer_.mac &&
         std::any_of(slots_.begin(), slots_.end(), [](const Slot& s) { return s.exists(); });
}

}  // namespace softfeb::engine
