// SPDX-License-Identifier: BSD-3-Clause
#include "srp/rssi_client.hpp"

#include "srp/rssi_negotiation.hpp"

#include <algorithm>

namespace softfeb::srp {

namespace {

constexpr Time kSynInterval = 100 * kMillisecond;
constexpr Time kReconnectDelay = 100 * kMillisecond;

/// The connection closes if no segment from the server arrives for this number of null timeouts. A live
/// server answers our NULs, of which we send three per null timeout. The limit is more than one null timeout
/// because a BUSY server may be silent for longer than one.
constexpr unsigned kSilentTimeouts = 3;
constexpr unsigned kNulsPerTimeout = 3;

}  // namespace

RssiClient::RssiClient(const RssiClientConfig& config, const UdpPeer& server, DatagramSink& sink,
                       RssiUser& user)
    : RssiEndpoint(sink, user, config.tx_queue),
      config_(config),
      server_(server),
      sequence_(static_cast<std::uint8_t>(config.first_sequence - 1)) {
  status_.state = RssiState::kClosed;
  status_.peer = server;
  status_.negotiated = config.proposal;
}

/// Begins an attempt to connect. All SYNs of an attempt use the same sequence number, so the server learns
/// our initial number from any of them. Each attempt uses a new number, so that late answers to earlier
/// attempts can be recognised.
void RssiClient::connect(Time now) {
  if (open() || status_.state == RssiState::kSynSent) return;
  ++sequence_;
  status_.state = RssiState::kSynSent;
  send_syn(now);
}

void RssiClient::send_syn(Time now) {
  put(server_, rssi::encode_syn({rssi::kSyn, sequence_, 0}, rssi::Syn{.parameters = config_.proposal}));
  next_syn_ = now + kSynInterval;
}

void RssiClient::on_datagram(const UdpPeer& from, ByteSpan datagram, Time now) {
  const auto segment = rssi::parse(datagram);
  if (!segment || from != server_) {
    ++status_.dropped;
    if (!segment && open() && from == server_) note_error(rssi::fault_of(datagram), now);
  } else if (segment->syn) {
    on_syn_ack(*segment, now);
  } else if (open()) {
    receive(*segment, now);
  } else {
    ++status_.dropped;
  }
}

/// Handles a SYN-ACK. Its acknowledge number must equal the sequence number of our SYN, or be 0, which
/// Rogue's server always sends here.
void RssiClient::on_syn_ack(const rssi::Segment& segment, Time now) {
  const rssi::Header& header = segment.header;
  const bool ours = segment.has(rssi::kAck) && (header.acknowledge == sequence_ || header.acknowledge == 0);
  // A repeated SYN-ACK shows that our ACK was lost.
  if (ours && open() && header.sequence == server_sequence_) return send_first_ack(now);
  if (!ours || status_.state != RssiState::kSynSent || !rssi::usable(segment.syn->parameters)) {
    ++status_.dropped;
    return;
  }
  const RssiParameters p = rssi::adopt(segment.syn->parameters, config_.proposal);
  const auto first = static_cast<std::uint8_t>(sequence_ + 1);
  const Time null = p.null_ms * kMillisecond;
  ++status_.valid;
  server_sequence_ = header.sequence;
  next_syn_ = kNever;
  begin({.peer = server_,
         .parameters = p,
         .tx_first = first,
         .rx_first = static_cast<std::uint8_t>(header.sequence + 1),
         .max_datagram = config_.proposal.max_segment + kExcess,
         .idle_limit = kSilentTimeouts * null,
         .keep_alive_after = null / kNulsPerTimeout,
         .greet = true},
        now);
}

/// Prepares the next attempt to connect. Schedules the attempt if `reconnect` is true, except after our
/// close(). The attempt continues from the last sequence number, so that late segments of the ended
/// connection do not match.
void RssiClient::on_ended(RssiClose why, Time now) {
  sequence_ = next_sequence();
  if (why == RssiClose::kByUs || !config_.reconnect) return;
  ++sequence_;
  status_.state = RssiState::kSynSent;
  next_syn_ = now + kReconnectDelay;
}

void RssiClient::on_timer(Time now) {
  run_timers(now);
  if (now >= next_syn_) send_syn(now);
}

Time RssiClient::deadline() const { return std::min(connection_deadline(), next_syn_); }

void RssiClient::close(Time now) {
  next_syn_ = kNever;
  if (open()) return end(RssiClose::kByUs, true, now);
  status_.state = RssiState::kClosed;
}

}  // namespace softfeb::srp
