// SPDX-License-Identifier: BSD-3-Clause
#include "engine/receiver.hpp"

#include "roce/craft.hpp"
#include "roce/packet.hpp"

#include <algorithm>

namespace softfeb::engine {

Receiver::Qp::Qp(const ReceiveQpSetup& setup, roce::NotificationPoint& point)
    : path(setup.reply_path),
      notification(point.attach(roce::ip_pair(setup.reply_path.source_ip, setup.reply_path.dest_ip),
                                setup.qp.responder.qpn)),
      regions(setup.regions),
      qp(setup.qp, regions, &point, notification),
      reply(setup.reply_path),
      peer(setup.reply_path.dest_ip),
      pkey(setup.pkey) {}

Receiver::Receiver(const ReceiverConfig& config)
    : Endpoint(config.identity),
      notification_(config.notification),
      first_slot_(config.qps.size()),
      slot_table_(config.slots.size()),
      pending_(kPendingRoom) {
  for (const ReceiveQpSetup& setup : config.qps) {
    table_.insert(setup.qp.responder.qpn, static_cast<std::uint32_t>(qps_.size()));
    qps_.emplace_back(setup, notification_);
  }
  for (const ReceiveSlotSetup& setup : config.slots) qps_.emplace_back(setup, notification_);
}

void Receiver::push(const Pending& p) {
  if (pending_count_ == kPendingRoom) {
    ++receiver_counters_.replies_dropped;
    return;
  }
  pending_[(pending_first_ + pending_count_++) & (kPendingRoom - 1)] = p;
}

/// The QP that a packet is for; kNobody, and counted, when there is none.
std::uint32_t Receiver::find(roce::Qpn qpn, const roce::IpAddress& peer) {
  if (const std::uint32_t i = table_.find(qpn); i != QpTable::kNotFound) {
    if (qps_[i].peer == peer) return i;
    ++counters_.rx_wrong_peer;
    return kNobody;
  }
  const PeerQpTable::Found found = slot_table_.find(qpn, peer);
  if (found.index != PeerQpTable::kNotFound) return found.index;
  ++(found.other_peer ? counters_.rx_wrong_peer : counters_.rx_unknown_qp);
  return kNobody;
}

void Receiver::receive_roce(const roce::ParsedFrame& frame, Time now) {
  const roce::TransportPacket packet = roce::parse_transport(roce::transport_bytes(frame));
  const roce::Bth& bth = packet.request.bth;
  if (packet.kind == roce::TransportKind::kMalformed || bth.tver != 0) {
    ++counters_.rx_bad_transport;
    return;
  }
  const std::uint32_t i = find(bth.dest_qp, frame.source_ip);
  if (i == kNobody) return;
  Qp& qp = qps_[i];
  // An operation we do not do (READ, atomics) is the responder's to refuse.
  const bool asks =
      packet.kind == roce::TransportKind::kRequest || packet.kind == roce::TransportKind::kUnknown;
  if (!asks) {
    ++counters_.rx_bad_transport;
    return;
  }
  if (!roce::icrc_matches(frame)) {
    ++counters_.rx_icrc_errors;
    ++incidents_;
    return;
  }
  ++counters_.rx_roce;
  if (qp.peer_mac != frame.source_mac) {
    qp.peer_mac = frame.source_mac;
    qp.reply.set_dest_mac(frame.source_mac);
  }
  roce::ReceivedRequest request = packet.request;
  request.congestion_experienced = frame.congestion_experienced;
  const roce::ReceiveQp::Outcome outcome = qp.qp.on_request(request, now);
  if (const auto& payload = outcome.request.payload) {
    qp.written_end = std::max(qp.written_end, payload->address + payload->bytes.size());
  }
  if (outcome.send_cnp) push({i, true, {}});
  if (!outcome.request.reply) return;
  push({i, false, *outcome.request.reply});
  if (outcome.request.reply->aeth.kind() != roce::AethKind::kAck) ++incidents_;
}

void Receiver::write(const Pending& p, TxFrame& out) {
  const Qp& qp = qps_[p.qp];
  const roce::Qpn dest = qp.qp.config().responder.dest_qpn;
  out = TxFrame{.header = out.header};
  const roce::Crafted c =
      p.cnp ? roce::craft_cnp(qp.reply, dest, qp.pkey, identification_, out.header, out.trailer.data())
            : roce::craft_acknowledge(qp.reply, p.reply.aeth, p.reply.psn, dest, qp.pkey, identification_,
                                      out.header, out.trailer.data());
  ++identification_;
  if (p.cnp) ++receiver_counters_.cnp_tx;
  out.header_length = c.header_length;
  out.trailer_length = c.trailer_length;
}

std::size_t Receiver::poll(Time /*now*/, std::span<TxFrame> out) {
  std::size_t n = host_.poll(out);
  for (; n < out.size() && pending_count_ != 0; --pending_count_) {
    const Pending& p = pending_[pending_first_];
    if (p.qp != kNobody) write(p, out[n++]);
    pending_first_ = (pending_first_ + 1) & (kPendingRoom - 1);
  }
  counters_.tx_frames += n;
  for (std::size_t k = 0; k < n; ++k) counters_.tx_bytes += out[k].length();
  return n;
}

Time Receiver::next_event(Time now) const {
  return host_.has_answers() || pending_count_ != 0 ? now : kNever;
}

}  // namespace softfeb::engine
