// SPDX-License-Identifier: BSD-3-Clause
// Queue pairs that the metadata bus makes while the board runs: their lives, their peer, and the requests the
// dispatcher has for them.
#include "engine/board.hpp"

#include <algorithm>
#include <stdexcept>

namespace softfeb::engine {

using roce::QpState;

namespace {

constexpr Time kAskAgain = 1 * kSecond;  // RFC 1122 2.3.2.1: at most one a second
constexpr std::uint8_t kTypeUc = 3;

bool nowhere(const roce::IpAddress& ip) { return ip == roce::IpAddress{} || (ip.is_v4() && ip.v4() == 0); }

}  // namespace

void Board::make_bus(const BusConfig& config) {
  if (config.qp.payload == nullptr) throw std::invalid_argument("QPs of the metadata bus need a payload");
  bus_ = config;
  bus_.qp.path.source_mac = identity().mac;
  bus_.qp.path.source_ip = identity().ip;
  bus_.qp.path.dest_ip = identity().ip;  // of its family; nothing leaves before there is a destination
  bus_.qp.path.vlan = identity().vlan;
  bus_.qp.peer_mac.reset();
  bus_.qp.start_after = 0;
  bus_.qp.traffic = {};
  bus_.qp.traffic.messages = 0;
  slots_.resize(config.slots);
  for (std::size_t k = 0; k < config.slots; ++k) {
    const auto i = static_cast<std::uint32_t>(qps_.size());
    SendQp& qp = qps_.emplace_back(bus_.qp, congestion_for(bus_.qp, i));
    qp.start(0);
    qp.clear_path();
    qp.requester().set_state(QpState::kReset, 0);
    finished_[i] = 1;
    if (qp.congestion() != nullptr) qp.congestion()->start(0);
  }
  act(config.destination, 0);
}

// ---- lives ----------------------------------------------------------------------------------------------

void Board::act(const board::SetQp& a, Time now) {
  if (!on_bus(a.qp)) return;
  const auto i = static_cast<std::uint32_t>(a.qp);
  const QpState before = slot_of(i).context.state;
  slot_of(i).context = a.context;
  follow(i, before, now);
  settle(i, now);
  route_dispatch(now);
}

void Board::follow(std::uint32_t i, QpState before, Time now) {
  SendQp& qp = qps_[i];
  const QpState state = slot_of(i).context.state;
  if (state == QpState::kReset || state == QpState::kCreate) close_bus_qp(i, now);
  if (state == QpState::kReset) return;
  if (before == QpState::kReset || state == QpState::kCreate) open_bus_qp(i, now);
  switch (state) {
    case QpState::kRtr:
      direct_bus_qp(i);
      break;
    case QpState::kRts:
      if (before == QpState::kSqd) {
        qp.requester().set_state(QpState::kRts, now);
      } else if (before != QpState::kRts) {
        ready_bus_qp(i, now);
      }
      break;
    case QpState::kSqd:
    case QpState::kErr:
      qp.requester().set_state(state, now);
      break;
    default:
      break;
  }
}

/// Its QPN is its own from here on. One that the configuration has taken stays the configuration's: the QP is
/// in ERR from the beginning.
void Board::open_bus_qp(std::uint32_t i, Time now) {
  BusSlot& slot = slot_of(i);
  if (table_.insert(slot.context.qpn, i)) {
    slot.qpn = slot.context.qpn;
  } else {
    qps_[i].requester().set_state(QpState::kErr, now);
  }
}

void Board::close_bus_qp(std::uint32_t i, Time now) {
  BusSlot& slot = slot_of(i);
  if (slot.qpn) table_.erase(*slot.qpn);
  slot.qpn.reset();
  renew_bus_qp(i, now);
}

/// A requester of which nothing leaves yet.
void Board::renew_bus_qp(std::uint32_t i, Time now) {
  BusSlot& slot = slot_of(i);
  SendQp& qp = qps_[i];
  qp.reap(now);
  check_completions(i);
  // The byte counter counts what was sent; requests that ended before took none of it.
  slot.stream_base += qp.requester().counters().payload_bytes;
  slot.stream_next = slot.stream_base;
  slot.ok = slot.failed = 0;
  const board::QpContext& c = slot.context;
  roce::RequesterConfig r = bus_.qp.requester;
  r.transport = c.type == kTypeUc ? roce::Transport::kUc : roce::Transport::kRc;
  r.qpn = c.qpn;
  r.dest_qpn = c.dest_qpn;
  if (roce::pmtu_legal(c.pmtu)) r.pmtu = c.pmtu;
  r.initial_psn = c.sq_psn;
  r.sq_sig_all = c.sq_sig_all;
  r.timeout = c.timeout;
  r.retry_count = c.retry_count;
  r.rnr_retry = c.rnr_retry;
  r.min_rnr_timer = c.min_rnr_timer;
  qp.renew(r, c.pkey);
  qp.requester().set_state(QpState::kReset, now);
}

void Board::ready_bus_qp(std::uint32_t i, Time now) {
  const board::QpContext& c = slot_of(i).context;
  const bool possible = slot_of(i).qpn && roce::pmtu_legal(c.pmtu) && c.pmtu <= bus_.largest_pmtu;
  renew_bus_qp(i, now);
  direct_bus_qp(i);
  qps_[i].requester().set_state(possible ? QpState::kRts : QpState::kErr, now);
}

// ---- the peer -------------------------------------------------------------------------------------------

void Board::act(const board::SetDestination& a, Time now) {
  if (slots_.empty()) return;
  const bool same_ip = a.ip == bus_peer_.destination.ip;
  bus_peer_.destination = a;
  if (!same_ip || !bus_peer_.next_hop) {
    const bool possible = !nowhere(a.ip) && a.ip.is_v4() == identity().ip.is_v4();
    bus_peer_.next_hop.reset();
    bus_peer_.mac.reset();
    bus_peer_.retry_at = kNever;
    if (possible) {
      bus_peer_.next_hop = identity().next_hop(a.ip);
      bus_peer_.mac = host_.neighbours().find(*bus_peer_.next_hop, now);
      if (!bus_peer_.mac) bus_peer_.retry_at = now;
    }
  }
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const auto i = static_cast<std::uint32_t>(first_bus_ + k);
    direct_bus_qp(i);
    settle(i, now);
  }
}

/// Points the QP's packets at the board's destination.
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

/// Asks for the next hop, for as long as it takes.
void Board::find_bus_peer(Time now) {
  if (const auto mac = host_.neighbours().find(*bus_peer_.next_hop, now)) {
    tell_bus_peer(*mac, now);
    return;
  }
  host_.request(*bus_peer_.next_hop);
  bus_peer_.retry_at = now + kAskAgain;
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

// ---- requests -------------------------------------------------------------------------------------------

/// The QP whose number is SQpn; else the one whose peer's number it is, which the laboratory's script writes
/// there; else the only one.
std::uint32_t Board::choose_bus_qp() const {
  const roce::Qpn wanted = dispatcher_.registers().sqpn;
  std::uint32_t by_peer = kNoQp, only = kNoQp;
  std::size_t count = 0;
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const BusSlot& slot = slots_[k];
    if (!slot.exists()) continue;
    const auto i = static_cast<std::uint32_t>(first_bus_ + k);
    if (slot.context.qpn == wanted) return i;
    if (by_peer == kNoQp && slot.context.dest_qpn == wanted) by_peer = i;
    only = i;
    ++count;
  }
  if (by_peer != kNoQp) return by_peer;
  return count == 1 ? only : kNoQp;
}

void Board::route_dispatch(Time now) {
  dispatch_to_ = choose_bus_qp();
  if (dispatcher_.waiting() == 0) return;
  if (dispatch_to_ == kNoQp) {
    checker_.count(0, dispatcher_.drop());
  } else {
    settle(dispatch_to_, now);
  }
}

/// Posts what the dispatcher has for QP `i` and what fits. Before RTS its requests wait; in ERR all of them
/// complete at once.
void Board::feed(std::uint32_t i, Time now) {
  if (dispatch_to_ != i || dispatcher_.waiting() == 0) return;
  BusSlot& slot = slot_of(i);
  SendQp& qp = qps_[i];
  const auto sends = [&qp] {
    const QpState s = qp.requester().state();
    return s == QpState::kRts || s == QpState::kSqd;
  };
  while (sends() && dispatcher_.waiting() != 0 && qp.may_post()) {
    roce::WorkRequest w = dispatcher_.next();
    w.id = qp.messages_made();
    w.payload_offset = slot.stream_next;
    slot.stream_next += w.length;
    qp.post(w, now);
  }
  if (qp.requester().state() == QpState::kErr) checker_.count(0, dispatcher_.drop());
}

void Board::check_completions(std::uint32_t i) {
  BusSlot& slot = slot_of(i);
  const roce::RequesterCounters& c = qps_[i].requester().counters();
  checker_.count(c.messages_completed - slot.ok, c.messages_failed - slot.failed);
  slot.ok = c.messages_completed;
  slot.failed = c.messages_failed;
}

}  // namespace softfeb::engine
