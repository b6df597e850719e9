// SPDX-License-Identifier: BSD-3-Clause
#include "craft_board.hpp"

#include "addresses.hpp"
#include "base/rng.hpp"
#include "board_builder.hpp"
#include "dataplane/huge_memory.hpp"

#include <algorithm>

namespace softfeb::bench {

namespace {

constexpr std::uint64_t kMoreThanACore = 125'000'000'000;  // bytes per second
constexpr Time kShuffleOver = 20 * kMillisecond;

/// Rate of queue pair `i`, 1/16 to 1 of the highest; the average is 17/32 of it.
std::uint64_t mixed_rate(const CraftOptions& o, Rng& rng) {
  const std::uint64_t greatest = kMoreThanACore / o.qps * 32 / 17;
  return std::max<std::uint64_t>(greatest / 16 * (1 + rng.below(16)), 1);
}

void add_qp(test::BoardBuilder& board, const CraftOptions& o, const board::PayloadSource& payload, Rng& rng) {
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
  if (o.paced) {
    dcqcn::FirmwareSettings p;
    p.build = {.line_rate = kMoreThanACore, .wrap32 = false};
    qp.congestion = p;
  }
}

}  // namespace

std::pmr::memory_resource* huge_pages() { return &dataplane::HugeMemory::instance(); }

std::unique_ptr<board::PayloadSource> craft_payload(const CraftOptions& o) {
  return board::make_payload(
      {.kind = board::PayloadKind::kCounter, .message_length = message_bytes(o), .pmtu = o.pmtu});
}

std::unique_ptr<engine::Board> craft_board(const CraftOptions& o, const board::PayloadSource& payload,
                                           unsigned board, std::pmr::memory_resource* memory) {
  test::BoardBuilder builder(board_identity(board));
  builder.config.memory = memory;
  builder.config.qps.reserve(o.qps);
  Rng rng(1);
  for (std::uint32_t i = 0; i < o.qps; ++i) add_qp(builder, o, payload, rng);
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

}  // namespace softfeb::bench
