// SPDX-License-Identifier: BSD-3-Clause
#include "srp/rssi_server.hpp"

#include "srp/rssi_negotiation.hpp"

#include <algorithm>

namespace softfeb::srp {

namespace {

/// Interval between repeated SYN-ACKs, and their maximum number, as in the firmware.
constexpr Time kSynAckInterval = 50 * kMillisecond;
constexpr unsigned kSynAcks = 16;

/// For this long, a SYN from another client does not replace a pending handshake. The first client's ACK
/// normally arrives within 50 ms plus the round-trip time.
constexpr Time kHandshakeHold = 100 * kMillisecond;

/// Segments are retransmitted for at least the null timeout divided by this number. Rogue does not repeat an
/// ACK. If Rogue's last ACK is lost and Rogue has no data to send, the next ACK comes with Rogue's NUL, a
/// third of the null timeout later. The usual limit of 15 transmissions may be reached before this time.
constexpr unsigned kTryFor = 2;

/// If a client has not answered our probe within this time, it has restarted. The time is long enough for a
/// live client to answer twice, and shorter than the 100 ms after which a client repeats its SYN.
constexpr Time kDoubt = 40 * kMillisecond;

}  // namespace

RssiServer::RssiServer(const RssiServerConfig& config, DatagramSink& sink, RssiUser& user)
    : RssiEndpoint(sink, user, config.tx_queue),
      config_(config),
      syns_(config.syns_per_second, config.syn_burst),
      random_(config.seed) {
  status_.negotiated = offer();
}

RssiParameters RssiServer::offer() const {
  RssiParameters p = config_.local;
  p.max_outstanding = std::clamp<std::uint8_t>(p.max_outstanding, 1, config_.max_outstanding_limit);
  p.max_segment = std::clamp(p.max_segment, rssi::kMinSegment, config_.max_segment_limit);
  return p;
}

void RssiServer::on_datagram(const UdpPeer& from, ByteSpan datagram, Time now) {
  const auto segment = rssi::parse(datagram);
  if (!segment) {
    ++status_.dropped;
    if (open() && from == status_.peer) note_error(rssi::fault_of(datagram), now);
  } else if (segment->syn) {
    on_syn(from, *segment, now);
  } else if (open() && from == status_.peer) {
    doubted_at_.reset();
    receive(*segment, now);
  } else if (handshake_ && from == handshake_->peer) {
    on_handshake(*segment, now);
  } else {
    ++status_.dropped;
  }
}

void RssiServer::on_syn(const UdpPeer& from, const rssi::Segment& segment, Time now) {
  if (segment.has(rssi::kAck) || segment.syn->version != 1 || !rssi::usable(segment.syn->parameters)) {
    ++status_.dropped;
    return;
  }
  if (open() && from == status_.peer) {
    if (!client_began_anew(now)) {
      ++status_.refused;
      return;
    }
    end(RssiClose::kRestarted, false, now);
  }
  if (may_answer(from, now)) {
    answer(from, segment, now);
  } else {
    ++status_.refused;
  }
}

/// Determines whether the connected client, which has sent a SYN, has restarted. A late copy of the client's
/// first SYN must not be answered, because the client would then reset its sequence numbers. To distinguish
/// this case from a restart, we probe the connection: a client that is still connected answers, whereas a
/// restarted client sends only SYNs.
bool RssiServer::client_began_anew(Time now) {
  if (!doubted_at_) {
    doubted_at_ = now;
    provoke(now);
  }
  if (now < *doubted_at_ + kDoubt) return false;
  doubted_at_.reset();
  return true;
}

bool RssiServer::may_answer(const UdpPeer& from, Time now) {
  if (open()) {
    const bool alive = now < heard_at() + status_.negotiated.null_ms * kMillisecond / 2;
    if (alive && now < opened_at() + config_.guard) return false;
  }
  if (handshake_ && handshake_->peer != from && now < handshake_->since + kHandshakeHold) return false;
  return syns_.take(now);
}

void RssiServer::answer(const UdpPeer& from, const rssi::Segment& segment, Time now) {
  if (!handshake_ || handshake_->peer != from) {
    // If a connection is open, the client's ACK that completes this handshake replaces that connection. The
    // ACK must acknowledge our sequence number, which is therefore random, so that a third party cannot forge
    // the ACK.
    const std::uint8_t number = open() ? static_cast<std::uint8_t>(random_.next()) : config_.first_sequence;
    handshake_ = Handshake{.peer = from, .our_sequence = number, .since = now};
  }
  handshake_->parameters = rssi::negotiate(segment.syn->parameters, offer());
  handshake_->client_sequence = segment.header.sequence;
  handshake_->sent = 0;
  ++status_.valid;
  send_syn_ack(now);
  show_state();
}

void RssiServer::send_syn_ack(Time now) {
  Handshake& h = *handshake_;
  const rssi::Header header{rssi::kSyn | rssi::kAck, h.our_sequence, h.client_sequence};
  put(h.peer, rssi::encode_syn(header, rssi::Syn{.parameters = h.parameters}));
  h.sent_at = now;
  ++h.sent;
}

/// Handles a segment from the client that may open the connection. Rogue increments the sequence number with
/// each repeated SYN. The number of the client's first segment is therefore taken from its bare ACK, whose
/// number is not checked. Any other segment opens the connection only if its number directly follows the
/// number of the SYN. With a later number, segments between the SYN and this segment may have been lost.
void RssiServer::on_handshake(const rssi::Segment& segment, Time now) {
  const Handshake h = *handshake_;
  if (segment.has(rssi::kRst)) {
    handshake_.reset();
    show_state();
    return;
  }
  const auto first = static_cast<std::uint8_t>(h.client_sequence + 1);
  if (!segment.has(rssi::kAck) || segment.header.acknowledge != h.our_sequence ||
      (!segment.bare() && segment.header.sequence != first)) {
    ++status_.dropped;
    return;
  }
  end(RssiClose::kReplaced, true, now, &h.peer);
  if (!handshake_) return;  // end() called the user, which closed the link
  handshake_.reset();
  doubted_at_.reset();
  begin({.peer = h.peer,
         .parameters = h.parameters,
         .tx_first = static_cast<std::uint8_t>(h.our_sequence + 1),
         .rx_first = segment.header.sequence,
         .max_datagram = h.parameters.max_segment + kExcess,
         .idle_limit = h.parameters.null_ms * kMillisecond,
         .try_for = h.parameters.null_ms * kMillisecond / kTryFor,
         .answer_reset = true},
        now);
  if (open()) receive(segment, now);
}

void RssiServer::on_ended(RssiClose, Time) {
  doubted_at_.reset();
  show_state();
}

void RssiServer::show_state() {
  if (open()) return;
  status_.state = handshake_ ? RssiState::kWaitAck : RssiState::kListen;
}

void RssiServer::on_timer(Time now) {
  run_timers(now);
  if (!handshake_ || now < handshake_->sent_at + kSynAckInterval) return;
  if (handshake_->sent < kSynAcks) return send_syn_ack(now);
  handshake_.reset();
  show_state();
}

Time RssiServer::deadline() const {
  const Time connection = connection_deadline();
  return handshake_ ? std::min(connection, handshake_->sent_at + kSynAckInterval) : connection;
}

void RssiServer::close(Time now) { close(RssiClose::kByUs, now); }

void RssiServer::close(RssiClose why, Time now) {
  handshake_.reset();
  if (open()) return end(why, true, now);
  show_state();
}

}  // namespace softfeb::srp
