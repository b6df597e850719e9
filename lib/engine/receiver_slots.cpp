// SPDX-License-Identifier: BSD-3-Clause
// Queue pairs that are created and destroyed while the receiver runs.
#include "engine/receiver.hpp"
#include "roce/udp_source_port.hpp"

#include <algorithm>

namespace softfeb::engine {

Receiver::Qp::Qp(const ReceiveSlotSetup& setup, roce::NotificationPoint& point)
    : path(setup.reply_path),
      notification(point.attach(roce::ip_pair(setup.reply_path.source_ip, setup.reply_path.dest_ip))),
      peer(setup.reply_path.dest_ip),
      qp({}, regions, &point, notification),
      pkey(setup.pkey),
      exists(false),
      used(false) {
  regions.reserve(kMaxSlotRegions);
}

void Receiver::apply(const ReceiverAction& action) {
  std::visit(
      [this](const auto& a) {
        if (a.slot >= first_slot_ && a.slot < qps_.size()) act(a);
      },
      action);
}

roce::ResponderCounters Receiver::responder_counters(std::size_t i) const {
  roce::ResponderCounters sum = qps_[i].before;
  return sum += qps_[i].qp.responder().counters();
}

void Receiver::act(const SetReceiveQp& a) {
  const auto i = static_cast<std::uint32_t>(a.slot);
  Qp& slot = qps_[i];
  if (table_.find(a.responder.qpn) != QpTable::kNotFound) return;
  const PeerQpTable::Found taken = slot_table_.find(a.responder.qpn, slot.peer);
  if (taken.index != PeerQpTable::kNotFound && taken.index != i) return;
  slot.before += slot.qp.responder().counters();
  roce::ReceiveQpConfig config;
  config.responder = a.responder;
  config.responder.pkey = slot.pkey;
  config.check_continuity = true;
  roce::ReceiveQp made(config, slot.regions, &notification_, slot.notification);
  made.continue_from(slot.qp, a.counter_goes_on);
  slot.qp = std::move(made);
  slot.path.udp_source_port = roce::hashed_source_port(a.responder.qpn, a.responder.dest_qpn);
  slot.reply = roce::HeaderTemplate(slot.path);
  slot.reply.set_dest_mac(slot.peer_mac);
  slot.exists = slot.used = true;
  forget_replies(i);
  index_slots();
}

void Receiver::act(const SetReceiveRegions& a) {
  Qp& slot = qps_[a.slot];
  slot.qp.change_regions([&] {
    const std::size_t n = std::min(a.regions.size(), kMaxSlotRegions);
    slot.regions.assign(a.regions.begin(), a.regions.begin() + static_cast<std::ptrdiff_t>(n));
  });
}

void Receiver::act(const RemoveReceiveQp& a) {
  const auto i = static_cast<std::uint32_t>(a.slot);
  qps_[i].exists = false;
  act(SetReceiveRegions{a.slot, {}});
  forget_replies(i);
  index_slots();
}

void Receiver::index_slots() {
  slot_table_.clear();
  for (auto i = static_cast<std::uint32_t>(first_slot_); i < qps_.size(); ++i) {
    if (qps_[i].exists) slot_table_.insert(qps_[i].qp.config().responder.qpn, qps_[i].peer, i);
  }
}

/// Discards the pending responses of a destroyed QP, so that they are not sent for the next QP of the slot.
void Receiver::forget_replies(std::uint32_t i) {
  for (std::size_t k = 0; k < pending_count_; ++k) {
    Pending& p = pending_[(pending_first_ + k) & (kPendingRoom - 1)];
    if (p.qp == i) p.qp = kNobody;
  }
}

}  // namespace softfeb::engine
