// SPDX-License-Identifier: BSD-3-Clause
#include "engine/receiver.hpp"

#include "base/prefetch.hpp"
#include "engine/credit_frame.hpp"
#include "engine/group_notifications.hpp"
#include "roce/congestion_frame.hpp"
#include "roce/craft.hpp"
#include "roce/packet.hpp"
#include "roce/quick_write.hpp"
#include "roce/transfer_immediate.hpp"

#include <algorithm>

namespace softfeb::engine {

Receiver::Qp::Qp(const ReceiveQpSetup& setup, roce::NotificationPoint& point)
    : path(setup.reply_path),
      notification(point.attach(roce::ip_pair(setup.reply_path.source_ip, setup.reply_path.dest_ip),
                                setup.qp.responder.qpn)),
      regions(setup.regions),
      peer(setup.reply_path.dest_ip),
      qp(setup.qp, regions, &point, notification),
      reply(setup.reply_path),
      receive_interval(setup.receive_interval),
      transfer_source(setup.transfer_source),
      pkey(setup.pkey) {}

namespace {

/// Returns the recorder of notifications for windows or events; null if the receiver has neither of these, or
/// does not record times.
std::unique_ptr<GroupNotifications> groups_of(const ReceiverConfig& config) {
  if (config.stamps.stamps == nullptr || (!config.windows && !config.events)) return nullptr;
  return std::make_unique<GroupNotifications>(*config.stamps.stamps,
                                              config.events ? config.events->recorder : nullptr,
                                              config.events ? config.events->triggers : nullptr);
}

}  // namespace

Receiver::~Receiver() = default;

Receiver::Receiver(const ReceiverConfig& config)
    : Endpoint(config.identity, config.pause),
      notification_(config.notification),
      first_slot_(config.qps.size()),
      slot_table_(config.slots.size()),
      pending_(kPendingRoom),
      keep_notifications_(config.keep_notifications),
      stamps_(config.stamps),
      response_delay_(config.response_delay),
      message_observer_(config.message_observer),
      groups_(groups_of(config)),
      events_(config.events
                  ? std::make_unique<EventReceiver>(*config.events, groups_ ? groups_.get() : nullptr)
                  : nullptr),
      streams_(config.streams ? std::make_unique<StreamReceiver>(*config.streams) : nullptr) {
  if (config.registration) registration_.emplace(*config.registration);
  if (config.unordered) {
    roce::UnorderedSink& sink = *this;
    unordered_ = std::make_unique<roce::UnorderedWrites>(*config.unordered, sink);
  }
  accept_congestion_headers(config.cc_port);
  if (config.cc_port != 0) echoes_.resize(kPendingRoom);
  for (const ReceiveQpSetup& setup : config.qps) {
    table_.insert(setup.qp.responder.qpn, static_cast<std::uint32_t>(qps_.size()));
    qps_.emplace_back(setup, notification_);
  }
  for (const ReceiveSlotSetup& setup : config.slots) qps_.emplace_back(setup, notification_);
  if (config.windows && !config.qps.empty()) {
    roce::WindowMapConfig windows = *config.windows;
    windows.streams = static_cast<std::uint32_t>(config.qps.size());
    windows_.emplace(windows, config.window_consumer);
  }
  if (std::any_of(config.qps.begin(), config.qps.end(), [](const auto& qp) { return qp.grants; })) {
    granter_.emplace(config.homa, config.qps);
    for (std::size_t i = 0; i < config.qps.size(); ++i) {
      if (config.qps[i].grants) qps_[i].reply.set_priority(kControlPriority);
    }
  }
}

void Receiver::push(Pending p, Time now) {
  if (pending_count_ == kPendingRoom) {
    ++receiver_counters_.replies_dropped;
    return;
  }
  p.priority = pause_.priority(qps_[p.qp].reply);
  ++pending_of_[p.priority];
  const std::size_t place = (pending_first_ + pending_count_++) & (kPendingRoom - 1);
  if (received_header_ != nullptr && !p.cnp) {
    p.echo = static_cast<std::uint8_t>(received_header_->encode(echoes_[place].data()));
  }
  p.arrived = now;
  pending_[place] = p;
}

/// Returns the QP that a packet is addressed to. If there is none, counts the packet and returns kNobody.
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

void Receiver::expect(const roce::ParsedFrame& frame) {
  if (frame.kind != roce::FrameKind::kUdp) return;
  const std::uint32_t i = table_.find(roce::dest_qp_hint(frame, cc_port()));
  if (i == QpTable::kNotFound) return;
  const Qp& qp = qps_[i];
  prefetch(&qp.written_end);
  qp.qp.prefetch();
}

/// Passes a complete message to the registration table. A message without immediate is not registered. An
/// empty message with immediate is a notification from the sender.
void Receiver::register_message(const Qp& qp, const roce::MessageEvent& message, Time now) {
  using Type = roce::RegistrationPacket::Type;
  if (message.has_immediate && message.length == 0) return notified_.add(now);
  roce::RegistrationPacket p;
  p.source = *qp.transfer_source;
  p.address = message.address;
  p.length = message.length;
  if (message.has_immediate) {
    const auto segment = roce::TransferImmediate::decode(message.immediate);
    p.type = segment.index == 0 ? Type::kFirst : Type::kBody;
    p.op = segment.op;
    p.count = segment.count;
    p.bytes =
        segment.count == 1 ? message.length : std::uint64_t{segment.count} * registration_->config().packet;
  }
  registration_->packet(now, p);
  count_notifications();
}

void Receiver::count_notifications() {
  if (keep_notifications_) return;
  while (const auto n = registration_->poll()) notified_.add(n->at);
}

std::optional<roce::Notification> Receiver::poll_notification() {
  auto n = registration_ ? registration_->poll() : std::nullopt;
  if (n) notified_.add(n->at);
  return n;
}

/// Posts the receive requests that have become due. The queue never contains more than the initial number of
/// requests.
void Receiver::post_receives(Qp& qp, Time now) {
  const roce::Responder& responder = qp.qp.responder();
  if (qp.receives_posted == 0) qp.receives_posted = now;
  const std::uint64_t due = (now - qp.receives_posted) / qp.receive_interval;
  qp.receives_posted += due * qp.receive_interval;
  const std::uint64_t room = responder.config().receives - responder.receives();
  if (due != 0 && room != 0) qp.qp.post_receives(std::min(due, room));
}

/// Records that a message was received and placed. Returns the key of the message if the application is
/// notified of it at the end of complete(). Returns 0 if the times of the message are not recorded, or if the
/// application is notified when a window or event closes.
latency::MessageKey Receiver::stamp_arrival(std::uint32_t i, roce::Psn psn, const roce::MessageEvent& message,
                                            Time now) {
  const latency::MessageKey key = stamps_.key(qps_[i].qp.config().responder.qpn, psn);
  latency::Stamps& stamps = *stamps_.stamps;
  if (i >= first_slot_ || !stamps.selects(key)) return 0;
  stamps.put(key, latency::Stage::kReceived, stamps.arrival(now));
  stamps.put(key, latency::Stage::kPlaced, stamps.clock(now));
  if (!groups_ || !message.has_immediate) return key;
  groups_->wait(key, message.immediate - (windows_ ? windows_->config().first_immediate : 0));
  return 0;
}

/// Handles a complete message of QP `i`, whose last packet has PSN `psn`.
inline void Receiver::complete(std::uint32_t i, roce::Psn psn, const roce::MessageEvent& message,
                               std::optional<std::uint64_t> packet_index, Time now) {
  const latency::MessageKey key = stamps_.stamps == nullptr ? 0 : stamp_arrival(i, psn, message, now);
  if (qps_[i].qp.config().responder.transport == roce::Transport::kUc)
    complete_uc(i, message, packet_index, now);
  pass_on(i, message, now);
  if (key != 0) stamps_.stamps->put(key, latency::Stage::kNotified, stamps_.stamps->clock(now));
}

void Receiver::finish_windows(std::uint64_t sent, Time now) {
  if (!windows_) return;
  windows_->finish(now, sent);
  if (groups_) groups_->windows_closed(windows_->base(), windows_->config().ring, now);
}

/// Passes a complete message of QP `i` to the registration table if the QP receives transfers, to the event
/// builder if there is one and the QP is a configured QP, and to the message observer if there is one.
inline void Receiver::pass_on(std::uint32_t i, const roce::MessageEvent& message, Time now) {
  if (qps_[i].transfer_source) register_message(qps_[i], message, now);
  if (events_ && i < first_slot_) events_->message(now, i, message);
  if (message_observer_ != nullptr) message_observer_->message(i, message, now);
}

/// Fast path for the most common packets: in order, part of a multi-packet message, from the known IP and MAC
/// address, with a valid iCRC, and not CE-marked. Has exactly the same effect as receive_roce(). Returns
/// false and changes nothing if the packet does not qualify.
bool Receiver::receive_quickly(const roce::ParsedFrame& frame, Time now) {
  roce::QuickWrite p;
  if (frame.congestion_experienced || !p.read(frame)) return false;
  const std::uint32_t i = table_.find(p.dest_qp);
  if (i == QpTable::kNotFound) return false;
  Qp& qp = qps_[i];
  if (!qp.qp.awaits(p) || qp.peer != frame.source_ip || !roce::same_mac(qp.peer_mac, frame.source_mac))
    return false;
  const roce::ReceiveQp::Stored stored = frame.icrc_right ? qp.qp.store_known(p) : qp.qp.store_checked(p);
  if (!stored.icrc_matches) return false;
  verified();
  ++counters_.rx_roce;
  const roce::Responder::Quick q = qp.qp.take(p, stored);
  if (granter_) {
    const bool first = p.operation == roce::Operation::kWriteFirst;
    granter_->accepted(now, i, q.index, first ? std::optional(p.reth().dma_length) : std::nullopt);
  }
  qp.written_end = std::max(qp.written_end, q.address + p.payload.size());
  if (q.message) complete(i, p.psn, *q.message, q.index, now);
  if (q.reply) push({.qp = i, .reply = *q.reply}, now);
  return true;
}

/// Updates the peer's MAC address: uses the address resolved by ARP if there is one, otherwise the source
/// address `mac` of the latest packet. A packet never replaces a resolved address, just as a NIC keeps the
/// address of the queue pair's path.
void Receiver::learn_mac(Qp& qp, const roce::MacAddress& mac, Time now) {
  const roce::MacAddress to = host_.neighbours().find(qp.peer, now).value_or(mac);
  if (to == qp.peer_mac) return;
  qp.peer_mac = to;
  qp.reply.set_dest_mac(to);
}

void Receiver::receive_roce(const roce::ParsedFrame& frame, Time now) {
  if (frame.may_fragment) {  // requests have DF set (IBA, CA17-7)
    ++counters_.rx_bad_transport;
    return;
  }
  if (receive_quickly(frame, now)) return;
  roce::TransportPacket packet = roce::parse_transport_with_icrc(frame.content);
  const roce::Bth& bth = packet.request.bth;
  if (packet.kind == roce::TransportKind::kMalformed || bth.tver != 0) {
    ++counters_.rx_bad_transport;
    return;
  }
  const std::uint32_t i = find(bth.dest_qp, frame.source_ip);
  if (i == kNobody) return;
  Qp& qp = qps_[i];
  // Unsupported operations (RDMA READ, atomics) are passed to the responder, which rejects them.
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
  verified();
  ++counters_.rx_roce;
  if (qp.peer_mac != frame.source_mac) learn_mac(qp, frame.source_mac, now);
  packet.request.congestion_experienced = frame.congestion_experienced;
  if (qp.receive_interval != 0) post_receives(qp, now);
  const roce::ReceiveQp::Outcome outcome = qp.qp.on_request(packet.request, now);
  if (const auto& payload = outcome.request.payload) {
    qp.written_end = std::max(qp.written_end, payload->address + payload->bytes.size());
  }
  if (unordered_ && i < first_slot_ && outcome.request.packet_index) {
    unordered_at_ = now;
    unordered_->packet(now, i, *outcome.request.packet_index, packet.request);
  }
  if (outcome.request.message)
    complete(i, bth.psn, *outcome.request.message, outcome.request.packet_index, now);
  if (granter_) grant_for(i, packet.request, outcome.request, now);
  if (outcome.send_cnp) push({.qp = i, .cnp = true}, now);
  if (!outcome.request.reply) return;
  push({.qp = i, .reply = *outcome.request.reply}, now);
  if (outcome.request.reply->aeth.kind() != roce::AethKind::kAck) ++incidents_;
}

/// Tells the map of missing data about a complete UC message, whose last packet is `packet`.
void Receiver::complete_uc(std::uint32_t i, const roce::MessageEvent& message,
                           std::optional<std::uint64_t> packet, Time now) {
  qps_[i].last_uc_message = now;
  if (!windows_ || !message.has_immediate || i >= first_slot_) return;
  windows_->message(now, i, message.immediate, message.length, packet);
  if (groups_) groups_->windows_closed(windows_->base(), windows_->config().ring, now);
}

const roce::MemoryRegion* Receiver::admit(std::uint32_t qp, const roce::Reth& reth) {
  return qps_[qp].qp.responder().admit(reth);
}

void Receiver::place(std::uint32_t qp, std::uint64_t index, const Segments& bytes, std::uint8_t* to) {
  qps_[qp].qp.place(bytes, to, index);
}

void Receiver::complete(std::uint32_t qp, std::uint64_t index, const roce::MessageEvent& message) {
  Qp& q = qps_[qp];
  if (!q.qp.complete(message, index)) return;
  q.written_end = std::max(q.written_end, message.address + message.length);
  complete_uc(qp, message, index, unordered_at_);
  pass_on(qp, message, unordered_at_);
}

void Receiver::abandoned(std::uint32_t qp, std::uint32_t bytes) {
  qps_[qp].qp.responder().count_abandoned(bytes);
}

void Receiver::dropped(std::uint32_t qp, roce::RegistrationVerdict verdict) {
  using Verdict = roce::RegistrationVerdict;
  const bool invalid =
      verdict == Verdict::kInvalid || verdict == Verdict::kConflict || verdict == Verdict::kTooLarge;
  qps_[qp].qp.responder().count_dropped(invalid);
}

void Receiver::duplicate(std::uint32_t qp) { qps_[qp].qp.responder().count_duplicate(); }

void Receiver::receive_congestion(const roce::ParsedFrame& frame, const roce::CongestionHeader& header,
                                  Time now) {
  if (header.control()) return receive_busy(frame, header, now);
  if (header.echo()) {
    ++counters_.rx_bad_transport;
    return;
  }
  received_header_ = &header;
  receive_roce(frame, now);
  received_header_ = nullptr;
}

/// Tells the granter that a request of QP `i` was accepted, if it was. If the QP is then in ERR, also tells
/// the granter that no further request will be accepted.
void Receiver::grant_for(std::uint32_t i, const roce::ReceivedRequest& request,
                         const roce::RequestOutcome& outcome, Time now) {
  if (outcome.packet_index) {
    const bool first = roce::has_reth(roce::opcode_operation(request.bth.opcode));
    granter_->accepted(now, i, *outcome.packet_index,
                       first ? std::optional(request.reth.dma_length) : std::nullopt);
  }
  if (qps_[i].qp.responder().state() == roce::QpState::kErr) granter_->forget(i);
}

/// Handles a control frame of congestion control: a BUSY. Other kinds count as rx_bad_transport.
void Receiver::receive_busy(const roce::ParsedFrame& frame, const roce::CongestionHeader& header, Time now) {
  const auto credit = roce::CreditBody::decode(header);
  const auto dest = control_frame_qpn(frame);
  if (!credit || !dest || credit->kind != roce::CreditBody::kBusy) {
    ++counters_.rx_bad_transport;
    return;
  }
  const std::uint32_t i = find(*dest, frame.source_ip);
  if (i == kNobody) return;
  if (!roce::icrc_matches(frame)) {
    ++counters_.rx_icrc_errors;
    ++incidents_;
    return;
  }
  ++counters_.rx_roce;
  ++receiver_counters_.busy_rx;
  if (granter_) granter_->busy(now, i);
}

/// Sends GRANTs and RESENDs.
std::size_t Receiver::poll_grants(Time now, std::span<TxFrame> out) {
  if (!granter_) return 0;
  granter_->run_timer(now);
  if (credit_open_at() > now) return 0;
  std::size_t n = 0;
  while (n < out.size()) {
    const auto message = granter_->next();
    if (!message) break;
    const Qp& qp = qps_[message->qp];
    write_control_frame({qp.reply, cc_port(), qp.qp.config().responder.dest_qpn, qp.pkey}, message->body,
                        identification_++, out[n++]);
    ++(message->body.kind == roce::CreditBody::kGrant ? receiver_counters_.grant_tx
                                                      : receiver_counters_.resend_tx);
  }
  return n;
}

/// Writes the pending response at index `place` of `pending_`.
void Receiver::write(std::size_t place, Time now, TxFrame& out) {
  const Pending& p = pending_[place];
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
  out.icrc_right = true;
  if (p.echo == 0) return;
  const MutableByteSpan echo(echoes_[place].data(), p.echo);
  roce::make_echo(echo, now - p.arrived);
  out.header_length =
      roce::insert_congestion_header(qp.reply, echo, cc_port(), out.header, out.header_length);
}

std::size_t Receiver::take_pending(Time now, std::span<TxFrame> out) {
  if (now < link_open_at()) return 0;
  if (pause_.per_priority() && pause_.any(now)) return may_send(now) ? take_unpaused(now, out) : 0;
  std::size_t n = 0;
  for (; n < out.size() && pending_count_ != 0; --pending_count_) {
    const Pending& p = pending_[pending_first_];
    if (!due(p, now)) break;
    --pending_of_[p.priority];
    if (p.qp != kNobody) write(pending_first_, now, out[n++]);
    pending_first_ = (pending_first_ + 1) & (kPendingRoom - 1);
  }
  return n;
}

/// True if there is a pending response whose priority is not paused.
bool Receiver::may_send(Time now) const {
  for (std::size_t p = 0; p < pending_of_.size(); ++p) {
    if (pending_of_[p] != 0 && !pause_.paused(static_cast<std::uint8_t>(p), now)) return true;
  }
  return false;
}

/// Sends the pending responses whose priority is not paused. The other responses keep their order.
std::size_t Receiver::take_unpaused(Time now, std::span<TxFrame> out) {
  const auto place = [this](std::size_t k) { return (pending_first_ + k) & (kPendingRoom - 1); };
  std::size_t n = 0, kept = 0;
  for (std::size_t k = 0; k < pending_count_; ++k) {
    const Pending& p = pending_[place(k)];
    if (n == out.size() || pause_.paused(p.priority, now) || !due(p, now)) {
      if (p.echo != 0) echoes_[place(kept)] = echoes_[place(k)];
      pending_[place(kept++)] = p;
      continue;
    }
    --pending_of_[p.priority];
    if (p.qp != kNobody) write(place(k), now, out[n++]);
  }
  pending_count_ = kept;
  return n;
}

std::size_t Receiver::poll(Time now, std::span<TxFrame> out) {
  if (registration_) {
    registration_->advance(now);
    count_notifications();
  }
  if (events_) events_->advance(now);
  if (streams_) streams_->advance(now);
  if (unordered_) {
    unordered_at_ = now;
    unordered_->advance(now);
  }
  std::size_t n = poll_host(now, out);
  n += poll_grants(now, out.subspan(n));
  n += take_pending(now, out.subspan(n));
  counters_.tx_frames += n;
  for (std::size_t k = 0; k < n; ++k) counters_.tx_bytes += out[k].length();
  return n;
}

Time Receiver::next_event(Time now) const {
  Time at = host_event(now);
  if (registration_) at = std::min(at, registration_->next_event());
  if (events_) at = std::min(at, events_->deadline());
  if (streams_) at = std::min(at, streams_->deadline());
  if (unordered_) at = std::min(at, unordered_->next_event());
  if (granter_) {
    at = std::min(at, granter_->deadline());
    if (granter_->has_frames()) at = std::min(at, std::max(now, credit_open_at()));
  }
  for (std::size_t p = 0; pending_count_ != 0 && p < pending_of_.size(); ++p) {
    if (pending_of_[p] == 0) continue;
    const Time first = pending_[pending_first_].arrived + response_delay_;
    at = std::min(at, std::max({now, first, pause_.until(static_cast<std::uint8_t>(p))}));
  }
  return at;
}

}  // namespace softfeb::engine
