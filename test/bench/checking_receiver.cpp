// SPDX-License-Identifier: BSD-3-Clause
#include "checking_receiver.hpp"

#include "addresses.hpp"
#include "board_builder.hpp"
#include "craft_board.hpp"
#include "dataplane/huge_memory.hpp"

namespace softfeb::bench {

CheckingReceiver::CheckingReceiver(const CraftOptions& o)
    : expected_(craft_payload(o)),
      expected_bytes_(expected_->arena_bytes()),
      memory_(std::size_t{o.qps} * message_bytes(o), &dataplane::HugeMemory::instance()) {
  expected_->fill(expected_bytes_);
  const std::uint32_t message = message_bytes(o);
  test::ReceiverBuilder builder(peer());
  builder.config.qps.reserve(o.qps);
  engine::SendQpConfig sender;
  sender.requester.transport = o.transport;
  sender.requester.pmtu = o.pmtu;
  sender.path = path_to_peer();
  sender.traffic.rkey = kRkey;
  for (std::uint32_t i = 0; i < o.qps; ++i) {
    sender.requester.qpn = sender.requester.dest_qpn = kFirstQpn + i;
    engine::ReceiveQpSetup& qp =
        builder.qp(sender, MutableByteSpan(memory_).subspan(std::size_t{i} * message, message));
    test::expect_payload(qp, *expected_);
  }
  receiver_ = builder.build();
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
