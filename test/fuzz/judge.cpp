// SPDX-License-Identifier: BSD-3-Clause
// Checks invariants after any number of hostile frames: the victims sent and received as if there were no
// attacker, and every frame was counted in exactly one counter.
#include "world.hpp"

#include <algorithm>

namespace softfeb::fuzz {

namespace {

class Findings {
 public:
  Findings(std::string who, std::string& out) : who_(std::move(who)), out_(out) {}

  void equal(const char* what, std::uint64_t is, std::uint64_t should) {
    if (is != should)
      out_ +=
          who_ + ": " + what + " is " + std::to_string(is) + ", should be " + std::to_string(should) + "\n";
  }

 private:
  std::string who_;
  std::string& out_;
};

std::string name(const Pair& pair, const char* what, std::size_t qp) {
  return std::string(pair.v6 ? "IPv6 " : "IPv4 ") + what + ", victim " + std::to_string(qp);
}

void judge_counters(const engine::Endpoint& e, const std::string& who, std::string& out) {
  const engine::EndpointCounters& c = e.counters();
  Findings(who, out).equal("sum of the counters of received frames",
                           c.rx_roce + c.rx_host + c.rx_control + c.rx_pause + c.rx_icrc_errors +
                               c.rx_unknown_qp + c.rx_wrong_peer + c.rx_bad_transport + c.rx_bad_cch +
                               c.rx_other,
                           c.rx_frames);
}

}  // namespace

void Pair::judge_sender(std::size_t i, std::string& out) const {
  Findings f(name(*this, "board", i), out);
  const engine::SendQp& qp = board->qp(i);
  const roce::RequesterCounters& c = qp.requester().counters();
  f.equal("messages completed", c.messages_completed, messages_);
  f.equal("messages failed", c.messages_failed, 0);
  f.equal("packets", c.packets, packets_per_victim());
  f.equal("retransmitted packets", c.retransmitted_packets, 0);
  f.equal("timeouts", c.timeouts, 0);
  f.equal("acknowledgements", c.ack_rx, receiver->qp(i).responder().counters().ack_tx);
  f.equal("NAKs and RNR NAKs",
          c.rnr_rx + c.nak_sequence_rx + c.nak_invalid_request_rx + c.nak_remote_access_rx +
              c.nak_remote_operational_rx + c.nak_invalid_rd_rx,
          0);
  f.equal("responses ignored", c.responses_ignored, 0);
  f.equal("CNPs", qp.counters().cnp_rx, 0);
  f.equal("completions out of order", qp.counters().completions_out_of_order, 0);
}

void Pair::judge_receiver(std::size_t i, std::string& out) const {
  Findings f(name(*this, "receiver", i), out);
  const roce::ReceiveQp& qp = receiver->qp(i);
  const roce::ResponderCounters& c = qp.responder().counters();
  f.equal("packets", c.packets, packets_per_victim());
  f.equal("messages", c.messages, messages_);
  f.equal("immediates", c.immediates, messages_);
  f.equal("packets not taken",
          c.duplicate + c.out_of_order + c.missing_packets + c.missing_messages + c.discarded +
              c.access_errors + c.invalid_requests + c.no_receive + c.ignored,
          0);
  f.equal("wrong bytes", qp.bytes_wrong(), 0);
  f.equal("unexpected messages", qp.unexpected_messages(), 0);
  f.equal("CE marks", qp.congestion_experienced(), 0);
  f.equal("messages not missing", qp.map().received(), messages_);
  f.equal("memory right", memory_right(i) ? 1 : 0, 1);
}

std::string Pair::judge() const {
  std::string out;
  for (std::size_t i = 0; i < kVictims; ++i) {
    judge_sender(i, out);
    judge_receiver(i, out);
  }
  const std::string family = v6 ? "IPv6 " : "IPv4 ";
  judge_counters(*board, family + "board", out);
  judge_counters(*receiver, family + "receiver", out);
  const auto mac = board->host().neighbours().find(receiver_party.ip, 0);
  Findings f(family + "pair", out);
  f.equal("static neighbour as it was", mac == receiver_party.mac ? 1 : 0, 1);
  std::uint64_t requests = responder_totals().packets;
  for (std::size_t i = 0; i < kVictims; ++i) requests += receiver->qp(i).responder().counters().packets;
  f.equal("requests and BUSYs at QPs", requests + receiver->receiver_counters().busy_rx,
          receiver->counters().rx_roce);
  return out;
}

std::string World::judge() const {
  std::string out;
  std::uint64_t taken = 0;
  for (const auto& p : pairs) {
    out += p->judge();
    taken += p->board->counters().rx_frames + p->receiver->counters().rx_frames;
  }
  Findings("classifier", out).equal("frames at endpoints", taken, wire.arrived);
  return out;
}

}  // namespace softfeb::fuzz
