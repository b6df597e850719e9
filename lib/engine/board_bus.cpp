// SPDX-License-Identifier: BSD-3-Clause
// Life cycle of the queue pairs that the metadata bus creates at run time.
#include "engine/board.hpp"

#include <stdexcept>

namespace softfeb::engine {

using roce::QpState;

namespace {

constexpr std::uint8_t kTypeUc = 3;

}  // namespace

void Board::make_bus(const BusConfig& config) {
  if (config.qp.payload == nullptr)
    throw std::invalid_argument("QPs created over the metadata bus need a payload");
  bus_ = config;
  bus_.qp.path.source_mac = identity().mac;
  bus_.qp.path.source_ip = identity().ip;
  bus_.qp.path.dest_ip = identity().ip;  // for the address family; nothing is sent without a destination
  bus_.qp.path.vlan = identity().vlan;
  bus_.qp.peer_mac.reset();
  bus_.qp.start_after = 0;
  bus_.qp.traffic = {};
  bus_.qp.traffic.messages = 0;
  slots_.resize(config.slots);
  for (std::size_t k = 0; k < config.slots; ++k) {
    const auto i = static_cast<std::uint32_t>(qps_.size());
    SendQp& qp = qps_.add(bus_.qp, congestion_for(bus_.qp, i));
    qp.start(0);
    qp.clear_path();
    qp.requester().set_state(QpState::kReset, 0);
    qp.count_finished(true);
    if (qp.congestion() != nullptr) qp.congestion()->start(0);
  }
  act(config.destination, 0);
}

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

/// Claims the QPN. A QPN of a configured QP stays with that QP, and the new QP goes to ERR.
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

/// Resets the requester; nothing is sent until the state changes.
void Board::renew_bus_qp(std::uint32_t i, Time now) {
  BusSlot& slot = slot_of(i);
  SendQp& qp = qps_[i];
  qp.reap(now);
  check_completions(i);
  // The byte counter covers data that was sent; requests that ended earlier consumed none of it.
  slot.past += qp.requester().counters();
  slot.stream_base += qp.requester().counters().payload_bytes;
  slot.stream_next = slot.stream_base;
  slot.ok = slot.failed = 0;
  qp.renew(requester_for(slot.context), slot.context.pkey);
  qp.requester().set_state(QpState::kReset, now);
}

roce::RequesterConfig Board::requester_for(const board::QpContext& c) const {
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
  return r;
}

void Board::ready_bus_qp(std::uint32_t i, Time now) {
  const board::QpContext& c = slot_of(i).context;
  const bool possible = slot_of(i).qpn && roce::pmtu_legal(c.pmtu) && c.pmtu <= bus_.largest_pmtu;
  renew_bus_qp(i, now);
  direct_bus_qp(i);
  slot_of(i).history.uc = slot_of(i).history.uc || c.type == kTypeUc;
  qps_[i].requester().set_state(possible ? QpState::kRts : QpState::kErr, now);
}

roce::RequesterCounters Board::totals(std::size_t i) const {
  roce::RequesterCounters sum = qps_[i].requester().counters();
  return i < first_bus_ ? sum : sum += slots_[i - first_bus_].past;
}

}  // namespace softfeb::engine
