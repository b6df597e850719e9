// SPDX-License-Identifier: BSD-3-Clause
#include "checking_receiver.hpp"

#include "addresses.hpp"
#include "craft_board.hpp"
#include "dataplane/huge_memory.hpp"

namespace softfeb::bench {

CheckingReceiver::CheckingReceiver(const CraftOptions& o)
    : expected_(craft_payload(o)),
      expected_bytes_(expected_->arena_bytes()),
      memory_(std::size_t{o.qps} * message_bytes(o), &dataplane::HugeMemory::instance()) {
  expected_->fill(expected_bytes_);
  const std::uint32_t message = message_bytes(o);
  engine::ReceiverConfig c;
  c.identity.mac = kPeerMac;
  c.identity.ip = peer_ip();
  c.qps.reserve(o.qps);
  for (std::uint32_t i = 0; i < o.qps; ++i) {
    engine::ReceiveQpSetup s;
    s.qp.responder.transport = o.transport;
    s.qp.responder.qpn = s.qp.responder.dest_qpn = kFirstQpn + i;
    s.qp.responder.pmtu = o.pmtu;
    s.qp.layout.emplace(message, o.pmtu);
    s.qp.expected = expected_.get();
    s.qp.numbering = roce::MessageNumbering::kLayout;
    s.reply_path = path_to_board();
    s.regions.push_back({0, message, kRkey, &memory_[std::size_t{i} * message]});
    c.qps.push_back(std::move(s));
  }
  receiver_ = std::make_unique<engine::Receiver>(c);
}

CheckingReceiver::Totals CheckingReceiver::totals() const {
  Totals t;
  for (std::size_t i = 0; i < receiver_->qp_count(); ++i) {
    const roce::ReceiveQp& qp = receiver_->qp(i);
    const roce::ResponderCounters& c = qp.responder().counters();
    t.packets += c.packets;
    t.payload_bytes += c.payload_bytes;
    t.messages += c.messages;
    t.out_of_order += c.out_of_order + c.missing_packets;
    t.duplicate += c.duplicate;
    t.bytes_checked += qp.payload_check()->checked();
    t.bytes_wrong += qp.bytes_wrong() + qp.payload_check()->unchecked();
    t.refused += c.access_errors + c.invalid_requests + c.ignored + c.no_receive;
  }
  t.icrc_errors = receiver_->counters().rx_icrc_errors;
  t.refused += receiver_->counters().rx_frames - receiver_->counters().rx_roce - t.icrc_errors;
  return t;
}

Json to_json(const CheckingReceiver::Totals& t) {
  return {{"packets", t.packets},         {"payload_bytes", t.payload_bytes},
          {"messages", t.messages},       {"out_of_order", t.out_of_order},
          {"duplicate", t.duplicate},     {"bytes_checked", t.bytes_checked},
          {"bytes_wrong", t.bytes_wrong}, {"icrc_errors", t.icrc_errors},
          {"refused", t.refused}};
}

}  // namespace softfeb::bench
