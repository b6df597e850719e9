// SPDX-License-Identifier: BSD-3-Clause
// Tests boards and receivers on a wire in memory, in virtual time. The wire drives them as the data plane
// does.
#include "engine/board.hpp"

#include "board_builder.hpp"
#include "filled_payload.hpp"
#include "roce/udp_source_port.hpp"
#include "wire.hpp"

#include <memory>
#include <optional>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::engine;
using test::Wire;

namespace {

struct Setup {
  std::uint32_t boards = 1;
  std::uint32_t receivers = 1;
  std::uint32_t qps = 1;  ///< number of QPs of each board; they send to the receivers round-robin
  roce::Transport transport = roce::Transport::kRc;
  std::uint32_t pmtu = 1024;
  std::uint32_t message_length = 10'000;
  std::optional<std::uint64_t> messages = 50;
  bool immediate = false;
  bool v6 = false;
  bool wrong_rkey = false;
  std::optional<std::uint32_t> wrong_rkey_of;  ///< number of a QP that uses a wrong rkey
  std::uint32_t region_short_by = 0;
  roce::Ecn ecn = roce::Ecn::kEct0;
  roce::Ecn reply_ecn = roce::Ecn::kEct0;
  RateKind rate_kind = RateKind::kUnlimited;
  std::uint64_t rate = 0;
  std::uint64_t link_rate = 1'250'000'000;
  std::uint8_t timeout = 8;
  std::uint8_t retries = 7;
  /// Kind of pause frames that the receivers obey. Responses to QP 0 have DSCP 26; responses to other QPs
  /// have DSCP 48.
  PauseMode pause = PauseMode::kPause;
  CongestionSettings congestion{};
};

/// Boards and receivers on a wire. Boards are stations 1, 2, …; receivers are stations 101, 102, ….
class Experiment {
 public:
  explicit Experiment(const Setup& s)
      : setup_(s), payload_(test::FilledPayload::counter(s.message_length, s.pmtu)) {
    std::vector<test::BoardBuilder> boards;
    std::vector<test::ReceiverBuilder> receivers;
    memory_.resize(std::size_t{s.boards} * s.qps);
    for (std::uint32_t b = 0; b < s.boards; ++b)
      boards.emplace_back(test::identity(1 + b, s.v6)).config.link_rate = s.link_rate;
    for (std::uint32_t r = 0; r < s.receivers; ++r)
      receivers.emplace_back(test::identity(101 + r, s.v6)).config.pause.mode = s.pause;
    for (std::uint32_t b = 0; b < s.boards; ++b) {
      for (std::uint32_t q = 0; q < s.qps; ++q) connect(boards[b], b, receivers[q % s.receivers], q);
    }
    wire = std::make_unique<Wire>(std::vector<Endpoint*>{}, 77);
    for (const auto& b : boards) wire->add(*boards_.emplace_back(b.build()));
    for (const auto& r : receivers) wire->add(*receivers_.emplace_back(r.build()));
  }

  bool run(Time limit) {
    for (auto& b : boards_) b->start(wire->now);
    return wire->run(limit, [this] {
      return std::all_of(boards_.begin(), boards_.end(), [](const auto& b) { return b->finished(); });
    });
  }

  std::uint64_t messages_received() const {
    std::uint64_t n = 0;
    for (const auto& r : receivers_) {
      for (std::size_t i = 0; i < r->qp_count(); ++i) n += r->qp(i).responder().counters().messages;
    }
    return n;
  }
  std::uint64_t bytes_wrong() const {
    std::uint64_t n = 0;
    for (const auto& r : receivers_) {
      for (std::size_t i = 0; i < r->qp_count(); ++i) n += r->qp(i).bytes_wrong();
    }
    return n;
  }
  /// Returns true if the receivers' memory holds the last message of each QP.
  bool memory_right() const {
    for (const auto& m : memory_) {
      const std::uint64_t base = (setup_.messages.value() - 1) * setup_.message_length;
      for (std::size_t i = 0; i < m.size(); ++i) {
        if (m[i] != static_cast<std::uint8_t>(base + i)) return false;
      }
    }
    return true;
  }

  Board& board(std::size_t i) { return *boards_[i]; }
  Receiver& receiver(std::size_t i) { return *receivers_[i]; }
  std::unique_ptr<Wire> wire;

 private:
  void connect(test::BoardBuilder& b, std::uint32_t board_number, test::ReceiverBuilder& r, std::uint32_t q) {
    const std::uint32_t n = board_number * setup_.qps + q;
    auto& memory = memory_[n];
    memory.assign(setup_.message_length, 0xee);
    SendQpConfig& s = b.qp(r.config.identity, *payload_, setup_.pmtu);
    s.requester.transport = setup_.transport;
    s.requester.dest_qpn = test::kReceiveQpn + n;
    s.requester.initial_psn = 0xffff00 + n;
    s.requester.timeout = setup_.timeout;
    s.requester.retry_count = setup_.retries;
    s.path.ecn = setup_.ecn;
    s.peer_mac.reset();
    s.congestion = setup_.congestion;
    s.traffic.verb = setup_.immediate ? roce::WrOpcode::kWriteImm : roce::WrOpcode::kWrite;
    s.traffic.messages = setup_.messages;
    s.traffic.rate_kind = setup_.rate_kind;
    s.traffic.rate = setup_.rate;
    s.traffic.rkey += n;
    s.traffic.immediate_kind = ImmediateKind::kCounter;

    ReceiveQpSetup& d = r.qp(s, memory);
    test::expect_payload(d, *payload_);
    d.reply_path.dscp = q == 0 ? 26 : 48;
    d.reply_path.ecn = setup_.reply_ecn;
    d.regions[0].length -= setup_.region_short_by;
    if (setup_.wrong_rkey || setup_.wrong_rkey_of == q) ++d.regions[0].rkey;
  }

  Setup setup_;
  test::FilledPayload payload_;
  std::vector<std::vector<std::uint8_t>> memory_;
  std::vector<std::unique_ptr<Board>> boards_;
  std::vector<std::unique_ptr<Receiver>> receivers_;
};

}  // namespace

TEST_CASE("a board writes, a receiver acknowledges, every byte is correct", "[board]") {
  for (const bool v6 : {false, true}) {
    for (const std::uint32_t pmtu : {256U, 1024U, 4096U}) {
      Experiment e({.qps = 3, .pmtu = pmtu, .v6 = v6});
      REQUIRE(e.run(kSecond));
      CHECK(e.messages_received() == 150);
      CHECK(e.bytes_wrong() == 0);
      CHECK(e.memory_right());
      for (std::size_t i = 0; i < 3; ++i) {
        CHECK(e.board(0).qp(i).requester().counters().messages_completed == 50);
        CHECK(e.board(0).qp(i).requester().counters().retransmitted_packets == 0);
        CHECK(e.board(0).qp(i).completed_payload_bytes() == 500'000);
      }
    }
  }
}

TEST_CASE("responses that arrive together are processed together", "[board]") {
  // The board has more queue pairs than fit into its list of queue pairs that received a response in one
  // burst. Without a link rate, all of them send at the same time, so that responses arrive together.
  for (const std::uint64_t loss : {0ULL, 2ULL}) {
    Experiment e({.qps = 100, .messages = 20, .link_rate = 0});
    e.wire->bursts = true;
    e.wire->loss = loss * Wire::kPercent;
    REQUIRE(e.run(100 * kSecond));
    CHECK(e.messages_received() == 2000);
    CHECK(e.bytes_wrong() == 0);
    CHECK(e.memory_right());
    for (std::size_t i = 0; i < 100; ++i) {
      CHECK(e.board(0).qp(i).counters().completions == 20);
      CHECK(e.board(0).qp(i).counters().completions_out_of_order == 0);
    }
  }
}

TEST_CASE("a queue pair takes no more memory than documented", "[board]") {
  const auto memory = [](const Setup& s) { return Experiment(s).board(0).memory_per_qp(); };
  CHECK(memory({.qps = 1000, .transport = roce::Transport::kUc}) <= 1024);
  const std::size_t rc = memory({.qps = 1000});  // each queue pair has a window of 16 requests
  const std::size_t dcqcn = memory({.qps = 1000, .congestion = dcqcn::FirmwareSettings{}});
  CHECK(dcqcn <= 1024);
  CHECK(dcqcn - rc == sizeof(dcqcn::FirmwareDcqcn));
  CHECK(memory({.qps = 0}) == 0);
}

TEST_CASE("loss, duplication and reordering cost time, not bytes", "[board]") {
  for (const std::uint64_t loss : {1ULL, 5ULL}) {
    Experiment e({.qps = 2, .messages = 200});
    e.wire->loss = loss * Wire::kPercent;
    e.wire->duplicate = Wire::kPercent;
    e.wire->reorder = Wire::kPercent;
    REQUIRE(e.run(100 * kSecond));
    CHECK(e.wire->lost > 0);
    CHECK(e.messages_received() == 400);
    CHECK(e.bytes_wrong() == 0);
    CHECK(e.memory_right());
    CHECK(e.board(0).qp(0).requester().counters().retransmitted_packets > 0);
    CHECK(e.board(0).qp(0).counters().completions_out_of_order == 0);
  }
}

TEST_CASE("UC loses messages and reports which", "[board]") {
  Experiment e({.qps = 4, .transport = roce::Transport::kUc, .messages = 500, .immediate = true});
  e.wire->loss = Wire::kPercent;
  REQUIRE(e.run(kSecond));
  e.wire->run(e.wire->now + kMillisecond, [] { return false; });
  std::uint64_t missing = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    e.receiver(0).qp(i).finish(500);
    const auto& map = e.receiver(0).qp(i).map();
    missing += map.missing();
    std::uint64_t listed = 0;
    for (const auto& r : map.ranges()) listed += r.last - r.first + 1;
    CHECK(listed == map.missing());
    CHECK(e.receiver(0).qp(i).responder().counters().messages + map.missing() == 500);
  }
  CHECK(missing > 0);
  CHECK(e.bytes_wrong() == 0);
}

TEST_CASE("many boards to one receiver, and one board to many", "[board]") {
  Experiment incast({.boards = 4, .qps = 2, .messages = 20});
  REQUIRE(incast.run(kSecond));
  CHECK(incast.messages_received() == 160);
  Experiment fan({.receivers = 4, .qps = 8, .messages = 20});
  REQUIRE(fan.run(kSecond));
  CHECK(fan.messages_received() == 160);
  CHECK(fan.bytes_wrong() + incast.bytes_wrong() == 0);
}

TEST_CASE("rates hold: payload bytes, packets, messages", "[board]") {
  // The finishing time follows from the rate. It may differ from the calculated time by one packet or message
  // and one round trip.
  Experiment bytes({.messages = 100, .rate_kind = RateKind::kPayloadBytes, .rate = 100'000'000});
  REQUIRE(bytes.run(kSecond));
  CHECK(to_seconds(bytes.wire->now) == Approx(0.01).epsilon(0.003));
  Experiment packets({.messages = 100, .rate_kind = RateKind::kPackets, .rate = 100'000});
  REQUIRE(packets.run(kSecond));
  CHECK(to_seconds(packets.wire->now) == Approx(0.01).epsilon(0.003));
  Experiment messages({.messages = 100, .rate_kind = RateKind::kMessages, .rate = 10'000});
  REQUIRE(messages.run(kSecond));
  CHECK(to_seconds(messages.wire->now) == Approx(0.0099).epsilon(0.003));
}

TEST_CASE("the link's rate is shared fairly among its queue pairs", "[board]") {
  Experiment e({.qps = 4, .pmtu = 4096, .message_length = 40'960, .messages = 100});
  REQUIRE(e.run(kSecond));
  // Each of four QPs sends 100 messages of 10 packets. Each of the 400 messages has one RETH.
  const double wire = 4000.0 * 4178 + 400 * 16;
  CHECK(to_seconds(e.wire->now) == Approx(wire / 1.25e9).epsilon(0.01));
}

TEST_CASE("no response: retries run out, the QP reports it, the rest is flushed", "[board]") {
  Experiment e({.messages = 30, .timeout = 5, .retries = 3});
  e.wire->loss = 1ULL << 32;
  // The wire loses all frames, including the ARP requests. Therefore no RoCE packet leaves, and no message
  // fails yet.
  CHECK_FALSE(e.run(10 * kMillisecond));
  CHECK(e.board(0).unresolved() == 1);
  CHECK_FALSE(e.board(0).qp(0).failure());
  e.board(0).host().neighbours().set_static(e.receiver(0).identity().ip, e.receiver(0).identity().mac);
  REQUIRE(e.run(10 * kSecond));
  CHECK(e.board(0).qp(0).failure() == roce::WcStatus::kTimeoutsExceeded);
  CHECK(e.board(0).qp(0).requester().counters().messages_failed == e.board(0).qp(0).traffic().made());
}

TEST_CASE("a neighbour without an answer is given up after five requests, a second apart", "[board]") {
  Experiment e({.messages = 30});
  e.wire->loss = 1ULL << 32;
  REQUIRE(e.run(20 * kSecond));
  CHECK(e.board(0).host().counters().arp_requests_tx == 5);
  CHECK(e.wire->now >= 5 * kSecond);
  CHECK(e.board(0).qp(0).failure() == roce::WcStatus::kFlushed);
  CHECK(e.board(0).qp(0).requester().counters().packets == 0);
  CHECK(e.board(0).unresolved() == 1);
}

TEST_CASE("a board counts marks on ACKs and NAKs, but not on CNPs", "[board]") {
  const bool v6 = GENERATE(false, true);
  Experiment e({.v6 = v6, .ecn = roce::Ecn::kCe, .reply_ecn = roce::Ecn::kCe});
  e.wire->loss = Wire::kPercent;
  REQUIRE(e.run(kSecond));
  const roce::RequesterCounters& c = e.board(0).qp(0).requester().counters();
  CHECK(e.board(0).qp(0).counters().cnp_rx > 0);
  CHECK(c.nak_sequence_rx > 0);
  CHECK(e.board(0).counters().rx_ce == e.board(0).counters().rx_roce - e.board(0).qp(0).counters().cnp_rx);
  Experiment unmarked({.v6 = v6, .ecn = roce::Ecn::kCe});
  REQUIRE(unmarked.run(kSecond));
  CHECK(unmarked.board(0).counters().rx_ce == 0);
}

TEST_CASE("wrong rkey and out of bounds: remote access error, the rest flushed", "[board]") {
  for (const bool wrong_rkey : {true, false}) {
    Experiment e({.messages = 30, .wrong_rkey = wrong_rkey, .region_short_by = wrong_rkey ? 0U : 1U});
    REQUIRE(e.run(kSecond));
    CHECK(e.board(0).qp(0).failure() == roce::WcStatus::kRemoteAccess);
    CHECK(e.board(0).qp(0).requester().counters().messages_failed == e.board(0).qp(0).traffic().made());
    CHECK(e.board(0).qp(0).requester().counters().nak_remote_access_rx == 1);
    CHECK(e.messages_received() == 0);
  }
}

TEST_CASE("a QP in error ends its endless traffic; other QPs continue", "[board]") {
  Experiment alone({.messages = std::nullopt, .wrong_rkey_of = 0});
  CHECK(alone.run(10 * kMillisecond));
  CHECK(alone.board(0).qp(0).failure() == roce::WcStatus::kRemoteAccess);
  Experiment e({.qps = 2, .messages = std::nullopt, .wrong_rkey_of = 0});
  CHECK_FALSE(e.run(10 * kMillisecond));
  CHECK(e.board(0).qp(0).failure() == roce::WcStatus::kRemoteAccess);
  CHECK(e.board(0).qp(0).finished());
  CHECK(e.board(0).qp(1).requester().counters().messages_completed > 100);
}

TEST_CASE("packets of other QPs or peers, or with a bad iCRC, change nothing", "[board]") {
  Experiment e({.messages = 5});
  e.wire->keep_log = true;
  REQUIRE(e.run(kSecond));
  const auto before = e.receiver(0).qp(0).responder().counters().packets;
  std::vector<std::uint8_t> write;
  for (const auto& f : e.wire->log) {
    if (f.size() > 500) write = f;
  }
  REQUIRE_FALSE(write.empty());
  auto broken = write;
  broken.back() ^= 1;
  e.wire->inject(broken);
  auto other_qp = write;
  other_qp[14 + 20 + 8 + 7] ^= 0x40;
  e.wire->inject(other_qp);
  auto other_peer = write;
  other_peer[14 + 15] ^= 0x40;
  store_be16(&other_peer[24], 0);
  store_be16(&other_peer[24], roce::internet_checksum(ByteSpan(other_peer).subspan(14, 20)));
  e.wire->inject(other_peer);
  CHECK(e.receiver(0).counters().rx_icrc_errors == 1);
  CHECK(e.receiver(0).counters().rx_unknown_qp == 1);
  CHECK(e.receiver(0).counters().rx_wrong_peer == 1);
  CHECK(e.receiver(0).qp(0).responder().counters().packets == before);
}

TEST_CASE("responses of a paused receiver wait and none is lost", "[board][pause]") {
  const PauseMode mode = GENERATE(PauseMode::kPause, PauseMode::kPfc);
  Experiment e({.qps = 2, .timeout = 16, .pause = mode});
  const auto finished = [&e](std::size_t qp) { return e.board(0).qp(qp).finished(); };
  roce::MacControl c;
  if (mode == PauseMode::kPfc) {
    c.kind = roce::MacControl::Kind::kPfc;
    c.enabled = 1 << 3;
  }
  c.quanta.fill(0xffff);
  const auto f = roce::write_mac_control({2, 9, 9, 9, 9, 9}, e.receiver(0).identity().mac, c);
  e.wire->inject(ByteSpan(f));
  const Time resumed = Time{0xffff} * 51'200;
  REQUIRE_FALSE(e.run(resumed - 1));
  CHECK_FALSE(finished(0));
  // PFC pauses only the priority of the responses to QP 0. The receiver still sends responses to QP 1 and ARP
  // frames.
  CHECK(finished(1) == (mode == PauseMode::kPfc));
  REQUIRE(e.wire->run(kSecond, [&] { return finished(0) && finished(1); }));
  CHECK(e.wire->now < resumed + kMillisecond);
  CHECK(e.messages_received() == 100);
  CHECK(e.board(0).qp(0).requester().counters().retransmitted_packets == 0);
  CHECK(e.receiver(0).counters().rx_pause == 1);
}

TEST_CASE("CE marks are answered with CNPs, at most one per interval", "[board]") {
  // 2 MB at 1 Gb/s take 16 ms. All packets are marked. The first packet causes a CNP, and after that there is
  // one CNP every 50 µs.
  Experiment e(
      {.messages = 200, .ecn = roce::Ecn::kCe, .rate_kind = RateKind::kPayloadBytes, .rate = 125'000'000});
  REQUIRE(e.run(kSecond));
  const std::uint64_t cnps = e.board(0).qp(0).counters().cnp_rx;
  CHECK(cnps == e.receiver(0).receiver_counters().cnp_tx);
  CHECK(cnps > 280);
  CHECK(cnps <= 321);
  Experiment quiet({.messages = 200});
  REQUIRE(quiet.run(kSecond));
  CHECK(quiet.board(0).qp(0).counters().cnp_rx == 0);
}
