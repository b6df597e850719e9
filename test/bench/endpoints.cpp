// SPDX-License-Identifier: BSD-3-Clause
#include "endpoints.hpp"

#include "algorithms.hpp"
#include "base/rng.hpp"
#include "board_builder.hpp"
#include "dataplane/huge_memory.hpp"

#include <algorithm>

namespace softfeb::bench {

namespace {

constexpr Time kShuffleOver = 20 * kMillisecond;

/// Returns a random rate from 1/16 to 16/16 of a highest rate, in steps of 1/16. The mean of such rates is
/// 17/32 of the highest rate. The highest rate is chosen such that the rates of all queue pairs add up to
/// about kMoreThanACore.
std::uint64_t mixed_rate(const CraftOptions& o, Rng& rng) {
  const std::uint64_t greatest = kMoreThanACore / o.qps * 32 / 17;
  return std::max<std::uint64_t>(greatest / 16 * (1 + rng.below(16)), 1);
}

void add_qp(test::BoardBuilder& board, const CraftOptions& o, const board::PayloadSource& payload,
            const engine::CongestionSettings& settings, Rng& rng) {
  engine::SendQpConfig& qp = board.qp(peer(), payload, o.pmtu);
  qp.requester.transport = o.transport;
  qp.requester.dest_qpn = qp.requester.qpn;
  qp.requester.send_queue_depth = o.send_queue;
  qp.requester.window_requests = std::min(o.send_queue, qp.requester.window_requests);
  qp.known_crc = o.known_crc;
  qp.traffic.rkey = kRkey;
  qp.traffic.remote_address = 0;
  if (o.active == Activity::kRandom) qp.start_after = rng.below(kShuffleOver);
  if (o.mixed_rates) {
    qp.traffic.rate_kind = engine::RateKind::kPayloadBytes;
    qp.traffic.rate = mixed_rate(o, rng);
  }
  qp.requester.ack_every = o.ack_every;
  qp.congestion = settings;
}

}  // namespace

std::pmr::memory_resource* huge_pages() { return &dataplane::HugeMemory::instance(); }

std::unique_ptr<board::PayloadSource> craft_payload(const CraftOptions& o) {
  return board::make_payload(
      {.kind = board::PayloadKind::kCounter, .message_length = message_bytes(o), .pmtu = o.pmtu});
}

std::unique_ptr<engine::Board> craft_board(const CraftOptions& o, const board::PayloadSource& payload,
                                           unsigned board, std::pmr::memory_resource* memory,
                                           latency::Stamps* stamps) {
  test::BoardBuilder builder(board_identity(board));
  builder.config.memory = memory;
  builder.config.qps.reserve(o.qps);
  const engine::CongestionSettings settings = benchmark_settings(o.algorithm, o.pmtu);
  if (needs_int_records(settings)) builder.config.cc_port = roce::kCongestionUdpPort;
  Rng rng(1);
  for (std::uint32_t i = 0; i < o.qps; ++i) add_qp(builder, o, payload, settings, rng);
  for (engine::SendQpConfig& qp : builder.config.qps)
    qp.traffic.stamps = {stamps, latency::QpOwner::board(board)};
  return builder.build();
}

BoardTotals& BoardTotals::operator+=(const BoardTotals& other) {
  packets += other.packets;
  retransmitted += other.retransmitted;
  timeouts += other.timeouts;
  acks += other.acks;
  messages += other.messages;
  failed += other.failed;
  refused += other.refused;
  return *this;
}

BoardTotals totals_of(const engine::Board& board) {
  BoardTotals t;
  for (std::size_t i = 0; i < board.qp_count(); ++i) {
    const roce::RequesterCounters& c = board.qp(i).requester().counters();
    t.packets += c.packets;
    t.retransmitted += c.retransmitted_packets;
    t.timeouts += c.timeouts;
    t.acks += c.ack_rx;
    t.messages += c.messages_completed;
    t.failed += c.messages_failed;
  }
  const engine::EndpointCounters& e = board.counters();
  t.refused = e.rx_frames - e.rx_roce;
  return t;
}

Json to_json(const BoardTotals& t) {
  return {{"packets", t.packets},   {"messages", t.messages},
          {"acks", t.acks},         {"retransmitted", t.retransmitted},
          {"timeouts", t.timeouts}, {"failed", t.failed},
          {"refused", t.refused}};
}

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
    qp.qp.memory_is_cached = memory_.size() <= roce::kCachedMemory;
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
