// SPDX-License-Identifier: BSD-3-Clause
// Tests Homa between boards and a receiver in virtual time: grants, priorities, order, and the effects of
// losses.
#include "base/rng.hpp"
#include "board_builder.hpp"
#include "congestion/homa_algorithm.hpp"
#include "engine/credit_frame.hpp"
#include "engine/ready_queue.hpp"
#include "filled_payload.hpp"
#include "roce/congestion_frame.hpp"
#include "wire.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::engine;

namespace {

constexpr std::uint32_t kHomaPmtu = 1024;

struct HomaOptions {
  std::uint32_t boards = 1;
  std::uint32_t qps = 1;
  /// Message lengths in bytes. Queue pair q sends messages of length lengths[q mod lengths.size()].
  std::vector<std::uint32_t> lengths = {100 * kHomaPmtu};
  std::uint64_t messages = 1;
  std::uint32_t window = 4;
};

/// Boards that run Homa, and their receiver.
class HomaExperiment {
 public:
  explicit HomaExperiment(const HomaOptions& o) {
    std::uint32_t longest = 0;
    for (const std::uint32_t length : o.lengths) {
      payloads_.push_back(test::FilledPayload::counter(length, kHomaPmtu));
      longest = std::max(longest, length);
    }
    memory_.resize(longest);
    test::ReceiverBuilder r(test::identity(1000));
    r.config.cc_port = roce::kCongestionUdpPort;
    for (std::uint32_t k = 0; k < o.boards; ++k) add_board(o, k, r);
    receiver = r.build();
    std::vector<Endpoint*> all{receiver.get()};
    for (const auto& board : boards) all.push_back(board.get());
    wire = std::make_unique<test::Wire>(all);
  }

  bool run(Time limit = kSecond) {
    for (const auto& board : boards) board->start(wire->now);
    return wire->run(limit, [this] {
      return std::all_of(boards.begin(), boards.end(), [](const auto& b) { return b->finished(); });
    });
  }
  std::uint64_t sum(std::uint64_t roce::RequesterCounters::*counter) const {
    std::uint64_t n = 0;
    for (const auto& board : boards) {
      for (std::size_t q = 0; q < board->qp_count(); ++q) n += board->totals(q).*counter;
    }
    return n;
  }

  std::vector<std::unique_ptr<Board>> boards;
  std::unique_ptr<Receiver> receiver;
  std::unique_ptr<test::Wire> wire;

 private:
  void add_board(const HomaOptions& o, std::uint32_t k, test::ReceiverBuilder& r) {
    test::BoardBuilder b(test::identity(1 + k));
    b.config.link_rate = 1'250'000'000;
    b.config.cc_port = roce::kCongestionUdpPort;
    for (std::uint32_t q = 0; q < o.qps; ++q) {
      SendQpConfig& qp = b.qp(r.config.identity, *payloads_[(k * o.qps + q) % payloads_.size()], kHomaPmtu);
      qp.requester.dest_qpn += 100 * k;
      qp.requester.initial_psn = roce::kPsnMask - 5;
      qp.requester.timeout = 8;
      qp.requester.retry_count = 7;
      qp.requester.window_requests = o.window;
      qp.traffic.messages = o.messages;
      const congestion::Algorithm& homa = congestion::homa_algorithm();
      qp.congestion = congestion::AlgorithmSettings{&homa, homa.defaults({}), {}};
      r.qp(qp, memory_);
    }
    boards.push_back(b.build());
  }

  std::vector<test::FilledPayload> payloads_;
  std::vector<std::uint8_t> memory_;
};

std::uint8_t dscp_of(const TxFrame& f) { return f.header[15] >> 2; }
bool is_control(const TxFrame& f) { return load_be16(f.header + 36) == roce::kCongestionUdpPort; }
/// Returns the kind of a control frame, for example CreditBody::kGrant.
std::uint8_t kind_of(const TxFrame& f) { return f.header[42 + roce::CongestionHeader::kCommonSize]; }

}  // namespace

TEST_CASE("homa: a long message needs grants, and no NAK", "[homa]") {
  HomaExperiment e({});
  std::map<std::uint8_t, int> data, control;
  e.wire->tap = [&](Endpoint& from, const TxFrame& f) {
    if (f.payload_length != 0) ++data[dscp_of(f)];
    if (&from == e.receiver.get() && is_control(f)) ++control[dscp_of(f)];
    return true;
  };
  REQUIRE(e.run());
  CHECK(e.receiver->receiver_counters().grant_tx == 100 - 12);
  CHECK(e.receiver->receiver_counters().resend_tx == 0);
  // A message above 64 KiB has 12 unscheduled packets. Its other packets have the lowest scheduled priority.
  CHECK(data == std::map<std::uint8_t, int>{{8 * 4, 12}, {0, 88}});
  CHECK(control == std::map<std::uint8_t, int>{{8 * kControlPriority, 88}});
  CHECK(e.sum(&roce::RequesterCounters::nak_sequence_rx) == 0);
  CHECK(e.sum(&roce::RequesterCounters::timeouts) == 0);
  CHECK(e.boards[0]->qp(0).congestion()->state(0).granted == 100);
}

TEST_CASE("homa: the shortest message goes first", "[homa]") {
  HomaExperiment e({.qps = 3, .lengths = {12 * kHomaPmtu, 2 * kHomaPmtu, 6 * kHomaPmtu}});
  std::vector<std::uint32_t> order;
  e.wire->tap = [&](Endpoint&, const TxFrame& f) {
    if (f.payload_length != 0) order.push_back(load_be32(f.header + 42 + 4) & 0xff);
    return true;
  };
  REQUIRE(e.run());
  std::vector<std::uint32_t> sorted;
  const std::uint32_t first = e.boards[0]->qp(0).requester().dest_qpn() & 0xff;
  sorted.insert(sorted.end(), 2, first + 1);
  sorted.insert(sorted.end(), 6, first + 2);
  sorted.insert(sorted.end(), 12, first);
  CHECK(order == sorted);
}

TEST_CASE("homa: everything arrives in spite of losses", "[homa]") {
  HomaExperiment e(
      {.boards = 4,
       .qps = 5,
       .lengths = {100 * kHomaPmtu, 700, 13 * kHomaPmtu, 40 * kHomaPmtu + 1, kHomaPmtu, 12 * kHomaPmtu},
       .messages = 8});
  e.wire->loss = 2 * test::Wire::kPercent;
  e.wire->duplicate = test::Wire::kPercent;
  REQUIRE(e.run());
  CHECK(e.sum(&roce::RequesterCounters::messages_completed) == 4 * 5 * 8);
  CHECK(e.sum(&roce::RequesterCounters::messages_failed) == 0);
  CHECK(e.receiver->receiver_counters().resend_tx > 0);
  CHECK(e.sum(&roce::RequesterCounters::retransmitted_packets) > 0);
}

TEST_CASE("homa: a lost grant is requested again, and a RESEND of what was not sent is answered", "[homa]") {
  HomaExperiment e({});
  int grants = 0, resends = 0, busy = 0;
  e.wire->tap = [&](Endpoint&, const TxFrame& f) {
    if (!is_control(f)) return true;
    if (kind_of(f) == roce::CreditBody::kResend) ++resends;
    if (kind_of(f) == roce::CreditBody::kBusy) ++busy;
    // The first 12 grants are lost, so that the board has no credit when the RESEND arrives.
    return kind_of(f) != roce::CreditBody::kGrant || ++grants > 12;
  };
  REQUIRE(e.run());
  CHECK(resends == 1);
  CHECK(busy == 1);
  CHECK(e.receiver->receiver_counters().busy_rx == 1);
  CHECK(e.sum(&roce::RequesterCounters::retransmitted_packets) == 0);
  CHECK(e.sum(&roce::RequesterCounters::timeouts) == 0);
}

TEST_CASE("homa: control frames for a wrong queue pair, from a wrong peer or corrupt have no effect",
          "[homa]") {
  HomaExperiment e({});
  e.wire->tap = [](Endpoint&, const TxFrame& f) { return !is_control(f); };  // drops all grants
  CHECK_FALSE(e.run(500 * kMicrosecond));
  Board& board = *e.boards[0];
  const auto send = [&](std::uint32_t from, roce::Qpn qpn, bool corrupt) {
    std::array<std::uint8_t, 200> bytes{};
    TxFrame f{.header = bytes.data()};
    const roce::HeaderTemplate path(test::path(test::identity(from), board.identity()));
    write_control_frame({path, roce::kCongestionUdpPort, qpn, roce::kDefaultPkey},
                        {roce::CreditBody::kGrant, 0, 50, 0}, 0, f);
    std::copy_n(f.trailer.begin(), f.trailer_length, bytes.begin() + f.header_length);
    if (corrupt) bytes[f.length() - 1] ^= 1;
    e.wire->inject(ByteSpan(bytes).first(f.length()));
  };
  const EndpointCounters before = board.counters();
  send(1000, test::kSendQpn + 7, false);
  send(999, test::kSendQpn, false);
  send(1000, test::kSendQpn, true);
  CHECK(board.counters().rx_unknown_qp == before.rx_unknown_qp + 1);
  CHECK(board.counters().rx_wrong_peer == before.rx_wrong_peer + 1);
  CHECK(board.counters().rx_icrc_errors == before.rx_icrc_errors + 1);
  CHECK(board.qp(0).congestion()->state(0).granted == 0);
  send(1000, test::kSendQpn, false);
  CHECK(board.qp(0).congestion()->state(0).granted == 57);  // PSNs 2^24 - 6 to 50
}

TEST_CASE("ready queue: ranked queue pairs take one turn together, the lowest rank first", "[homa]") {
  ReadyQueue q(10, true);
  q.push(0);
  q.push(5, 50);
  q.push(6, 40);
  q.push(1);
  q.push(7, 45);
  CHECK(q.size() == 5);
  const auto take = [&] {
    const std::uint32_t qp = q.front();
    q.pop();
    return qp;
  };
  CHECK(take() == 0);
  CHECK(take() == 6);
  CHECK_FALSE(q.recall(7));
  q.push(0);
  CHECK(take() == 1);
  q.push(5, 10);  // queue pair 5 is already queued and gets a new rank
  CHECK(take() == 5);
  CHECK(take() == 0);
  CHECK(take() == 7);
  CHECK(q.empty());
}

TEST_CASE("ready queue: ranks that fall, rise and end, in any order", "[homa]") {
  constexpr std::uint32_t kQps = 40;
  ReadyQueue q(kQps, true);
  std::map<std::uint32_t, std::uint64_t> expected;
  Rng rng(5);
  // All ranks are distinct, as the ranks of messages are.
  const auto any_rank = [&](std::uint32_t qp) { return rng.below(1000) << 32 | qp; };
  for (int k = 0; k < 20'000; ++k) {
    const auto any = static_cast<std::uint32_t>(rng.below(kQps));
    if (expected.empty() || rng.below(3) == 0) {
      q.push(any, expected[any] = any_rank(any));
    } else {
      const auto least = std::min_element(expected.begin(), expected.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
      const auto [qp, rank] = *least;
      REQUIRE(q.front() == qp);
      q.pop();
      expected.erase(least);
      REQUIRE_FALSE(q.contains(qp));
      if (rng.below(4) == 0 && any != qp) q.push(any, expected[any] = any_rank(any));
      if (rng.below(4) != 0)
        q.push(qp, expected[qp] = rng.below(2) == 0 ? (rank >> 33) << 32 | qp : any_rank(qp));
    }
    REQUIRE(q.size() == expected.size());
    REQUIRE(q.empty() == expected.empty());
  }
}
