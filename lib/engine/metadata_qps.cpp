// SPDX-License-Identifier: BSD-3-Clause
// Life cycle of the queue pairs that the metadata bus creates at run time.
#include "engine/metadata_qps.hpp"

#include <stdexcept>
#include <utility>

namespace softfeb::engine {

using roce::QpState;

namespace {

constexpr std::uint8_t kTypeUc = 3;

}  // namespace

SendQpConfig MetadataQps::slot_config(const BusConfig& config, const Identity& identity) {
  SendQpConfig qp = config.qp;
  qp.path.source_mac = identity.mac;
  qp.path.source_ip = identity.ip;
  // The board's own address stands in for the destination, only to select the address family. No packets are
  // sent until a destination is set.
  qp.path.dest_ip = identity.ip;
  qp.path.vlan = identity.vlan;
  qp.peer_mac.reset();
  qp.start_after = 0;
  qp.traffic = {};
  qp.traffic.messages = 0;
  return qp;
}

MetadataQps::MetadataQps(const BusConfig& config, std::size_t first, Deps deps)
    : config_(config), first_(first), deps_(std::move(deps)) {
  if (config.slots == 0) return;
  if (config.qp.payload == nullptr)
    throw std::invalid_argument("QPs created over the metadata bus need a payload");
  config_.qp = slot_config(config, deps_.identity);
  slots_.reserve(config.slots);
}

void MetadataQps::add_slot() {
  slots_.emplace_back();
  SendQp& qp = deps_.qps.back();
  qp.start(0);
  qp.clear_path();
  qp.requester().set_state(QpState::kReset, 0);
  qp.count_finished(true);
  if (qp.congestion() != nullptr) qp.congestion()->start(0);
}

void MetadataQps::apply(const board::SetQp& a, Time now) {
  if (a.qp < first_ || a.qp >= end()) return;
  const auto i = static_cast<std::uint32_t>(a.qp);
  const QpState before = slot(i).context.state;
  slot(i).context = a.context;
  transition(i, before, now);
  deps_.reschedule(i, now);
  route_requests(now);
}

void MetadataQps::apply(const board::SoftReset& /*a*/, Time now) {
  dispatcher_.drop();
  for (auto i = static_cast<std::uint32_t>(first_); i < end(); ++i) {
    slot(i).context = {};
    destroy(i, now);
    deps_.reschedule(i, now);
  }
  route_requests(now);
}

void MetadataQps::set_traffic_class(std::uint8_t dscp, roce::Ecn ecn) {
  config_.qp.path.dscp = dscp;
  config_.qp.path.ecn = ecn;
}

/// Performs the transition from state `before` to the state in the slot's context.
void MetadataQps::transition(std::uint32_t i, QpState before, Time now) {
  SendQp& qp = deps_.qps[i];
  const QpState state = slot(i).context.state;
  if (state == QpState::kReset || state == QpState::kCreate) destroy(i, now);
  if (state == QpState::kReset) return;
  if (before == QpState::kReset || state == QpState::kCreate) create(i, now);
  switch (state) {
    case QpState::kRtr:
      set_path(i);
      break;
    case QpState::kRts:
      if (before == QpState::kSqd) {
        qp.requester().set_state(QpState::kRts, now);
      } else if (before != QpState::kRts) {
        ready_to_send(i, now);
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

/// Enters the new QP in the QPN table. If another QP already has this QPN, the new QP enters ERR.
void MetadataQps::create(std::uint32_t i, Time now) {
  Slot& s = slot(i);
  if (deps_.table.insert(s.context.qpn, i)) {
    s.qpn = s.context.qpn;
  } else {
    deps_.qps[i].requester().set_state(QpState::kErr, now);
  }
}

void MetadataQps::destroy(std::uint32_t i, Time now) {
  Slot& s = slot(i);
  if (s.qpn) deps_.table.erase(*s.qpn);
  s.qpn.reset();
  reset(i, now);
}

/// Resets the requester; nothing is sent until the state changes.
void MetadataQps::reset(std::uint32_t i, Time now) {
  Slot& s = slot(i);
  SendQp& qp = deps_.qps[i];
  qp.reap(now);
  count_completions(i);
  // The payload of the next QP continues after the last byte that was sent. Requests that failed before they
  // were sent do not advance the payload byte counter.
  s.past += qp.requester().counters();
  s.stream_base += qp.requester().counters().payload_bytes;
  s.stream_next = s.stream_base;
  s.ok = s.failed = 0;
  qp.renew(requester_for(s.context), s.context.pkey);
  qp.requester().set_state(QpState::kReset, now);
}

void MetadataQps::ready_to_send(std::uint32_t i, Time now) {
  Slot& s = slot(i);
  const board::QpContext& c = s.context;
  const bool possible = s.qpn && roce::pmtu_legal(c.pmtu) && c.pmtu <= config_.largest_pmtu;
  reset(i, now);
  set_path(i);
  s.history.uc = s.history.uc || c.type == kTypeUc;
  deps_.qps[i].requester().set_state(possible ? QpState::kRts : QpState::kErr, now);
}

roce::RequesterConfig MetadataQps::requester_for(const board::QpContext& c) const {
  roce::RequesterConfig r = config_.qp.requester;
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

roce::RequesterCounters MetadataQps::totals(std::size_t i) const {
  roce::RequesterCounters sum = deps_.qps[i].requester().counters();
  return sum += slot(i).past;
}

}  // namespace softfeb::engine
