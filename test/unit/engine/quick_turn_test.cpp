// SPDX-License-Identifier: BSD-3-Clause
// Compares boards that use the fast path for packets in the middle of messages with boards that do not. No
// byte and no departure time may differ.
#include "base/rng.hpp"
#include "board_builder.hpp"
#include "filled_payload.hpp"
#include "roce/mac_control.hpp"
#include "wire.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::engine;
using test::Wire;

namespace {

constexpr std::uint32_t kMixed = 24;

/// A board with queue pairs of all kinds, and their receiver. Losses, CNPs, pauses and parameter changes
/// disturb the traffic. All of this depends only on the seed.
class Disturbed {
 public:
  Disturbed(std::uint64_t seed, bool quick, PauseMode pause, std::uint32_t qps = kMixed)
      : qps_(qps), rng_(seed) {
    test::BoardBuilder b(test::identity(1));
    // With an unlimited rate (0), the test would not end.
    b.config.link_rate = rng_.chance(1ULL << 31) ? 1'250'000'000 : 400'000'000;
    b.config.pause.mode = pause;
    test::ReceiverBuilder r(test::identity(2));
    b.config.cc_port = r.config.cc_port = roce::kCongestionUdpPort;
    memory_.assign(kMost, 0);
    for (const std::uint32_t length : {0U, 100U, 1024U, 5000U, kMost})
      payloads_.push_back(test::FilledPayload::counter(length, 1024));
    for (std::uint32_t q = 0; q < qps_; ++q) connect(b, r, q);
    board = b.build();
    board->set_fast_path(quick);
    receiver_ = r.build();
    wire = std::make_unique<Wire>(std::vector<Endpoint*>{board.get(), receiver_.get()}, seed);
    wire->keep_log = true;
    wire->loss = Wire::kPercent / 4;
    wire->duplicate = Wire::kPercent / 4;
    wire->reorder = Wire::kPercent / 4;
    board->start(0);
  }

  void step() {
    wire->run(wire->now + 20 * kMicrosecond, [] { return false; });
    const auto q = static_cast<std::uint32_t>(rng_.below(qps_));
    switch (rng_.below(6)) {
      case 0:
      case 1:
        cnp(q);
        break;
      case 2:
        pause(static_cast<std::uint16_t>(rng_.below(300)));
        break;
      case 3:
        change(q);
        break;
      default:
        break;
    }
  }

  std::unique_ptr<Board> board;
  std::unique_ptr<Wire> wire;

 private:
  static constexpr std::uint32_t kMost = 20'000;

  void connect(test::BoardBuilder& b, test::ReceiverBuilder& r, std::uint32_t q) {
    SendQpConfig& s = b.qp(r.config.identity, *payloads_[rng_.below(payloads_.size())]);
    s.requester.transport = rng_.chance(1ULL << 30) ? roce::Transport::kUc : roce::Transport::kRc;
    s.requester.timeout = 4;
    s.requester.window_requests = 1 + static_cast<std::uint32_t>(rng_.below(4));
    if (rng_.chance(1ULL << 30)) s.requester.window_packets = 7;
    s.requester.ack_every = static_cast<std::uint32_t>(rng_.below(6));
    s.path.dscp = static_cast<std::uint8_t>(8 * rng_.below(3));
    s.known_crc = rng_.chance(1ULL << 31);
    s.traffic.verb = rng_.chance(1ULL << 31) ? roce::WrOpcode::kWriteImm : roce::WrOpcode::kWrite;
    s.traffic.signaled = rng_.chance(1ULL << 31) ? SignalPolicy::kAll : SignalPolicy::kNone;
    if (rng_.chance(1ULL << 30)) s.traffic.messages = 1 + rng_.below(40);
    s.start_after = rng_.below(50 * kMicrosecond);
    set_rate(s, q);
    r.qp(s, memory_);
  }

  void set_rate(SendQpConfig& s, std::uint32_t q) {
    switch (rng_.below(5)) {
      case 0:
        s.traffic.rate_kind = RateKind::kPayloadBytes;
        s.traffic.rate = s.traffic.plan.message_length() == 0 ? 0 : 1 + rng_.below(200'000'000);
        s.traffic.burst = 1 + static_cast<std::uint32_t>(rng_.below(3));
        break;
      case 1:
        s.traffic.rate_kind = RateKind::kPackets;
        s.traffic.rate = 1 + rng_.below(200'000);
        break;
      case 2:
        s.traffic.rate_kind = RateKind::kMessages;
        s.traffic.rate = 1 + rng_.below(100'000);
        break;
      case 3:
        s.traffic.rate_kind = RateKind::kPeriod;
        s.traffic.period = 10 * kMicrosecond + rng_.below(kMillisecond);
        break;
      default:
        break;
    }
    switch (rng_.below(6)) {
      case 0:
        s.congestion =
            dcqcn::FirmwareSettings{.build = {.line_rate = 100'000'000 + rng_.below(1'000'000'000)}};
        break;
      case 1:
        s.congestion = dcqcn::PaperSettings{};
        break;
      case 2:
        s.congestion = dcqcn::FirmwareSettings{};
        s.congestion_group = q % 2;
        break;
      case 3:
      case 4:
        s.congestion = any_algorithm();
        break;
      default:
        break;
    }
  }

  congestion::AlgorithmSettings any_algorithm() {
    const auto all = congestion::algorithms();
    const congestion::Algorithm* const algorithm = all[rng_.below(all.size())];
    return {algorithm, algorithm->defaults({.line_rate = 400'000'000, .pmtu = 1024})};
  }

  void cnp(std::uint32_t q) {
    wire->inject(test::cnp(test::path(receiver_->identity(), board->identity()), test::kSendQpn + q));
  }

  void pause(std::uint16_t quanta) {
    roce::MacControl c{roce::MacControl::Kind::kPause, 0, {quanta}};
    if (board->pause().per_priority()) {
      c = {roce::MacControl::Kind::kPfc, static_cast<std::uint8_t>(rng_.below(8)), {}};
      c.quanta.fill(quanta);
    }
    const auto frame = roce::write_mac_control(receiver_->identity().mac, roce::kPauseAddress, c);
    board->receive(roce::parse_frame(ByteSpan(frame)), wire->now);
  }

  void change(std::uint32_t q) {
    dcqcn::FirmwareSettings profile;
    profile.parameters.rate_inc_interval = static_cast<std::uint32_t>(rng_.below(30'000));
    profile.parameters.rate_dec_interval = static_cast<std::uint16_t>(rng_.below(2'000));
    profile.parameters.clamp_tgt_rate = rng_.chance(1ULL << 31);
    board->set_congestion(q, profile, wire->now);
  }

  std::uint32_t qps_;
  Rng rng_;
  std::vector<test::FilledPayload> payloads_;
  std::vector<std::uint8_t> memory_;
  std::unique_ptr<Receiver> receiver_;
};

/// Runs a board with the fast path and a board without it, and compares the two.
void compare(Disturbed& quick, Disturbed& full, int steps) {
  for (int k = 0; k < steps; ++k) {
    quick.step();
    full.step();
    REQUIRE(quick.wire->now == full.wire->now);
    REQUIRE(quick.wire->log == full.wire->log);
    REQUIRE(quick.board->next_event(quick.wire->now) == full.board->next_event(full.wire->now));
    quick.wire->log.clear();
    full.wire->log.clear();
  }
  CHECK(quick.wire->sent > 500);
  CHECK(quick.board->finished() == full.board->finished());
  for (std::uint32_t q = 0; q < quick.board->qp_count(); ++q) {
    CAPTURE(q);
    const SendQp& a = quick.board->qp(q);
    const SendQp& b = full.board->qp(q);
    CHECK(a.counters().counted_bytes == b.counters().counted_bytes);
    CHECK(a.counters().completions == b.counters().completions);
    CHECK(a.counters().last_completed == b.counters().last_completed);
    CHECK(a.given_up() == b.given_up());
  }
}

std::uint32_t dest_qp_of(const TxFrame& frame) {
  return load_be32(frame.header + 14 + 20 + 8 + 4) & 0xffffff;
}

/// Runs a board with `qps` queue pairs that are always ready to send. Returns the number of packets in each
/// quantum, in order of time.
std::vector<std::uint32_t> packets_of_turns(std::uint32_t qps) {
  const auto payload = test::FilledPayload::counter(64'000, 256);
  test::BoardBuilder builder(test::identity(1));
  for (std::uint32_t q = 0; q < qps; ++q)
    builder.qp(test::identity(2), *payload, 256).requester.transport = roce::Transport::kUc;
  const auto board = builder.build();
  board->start(0);
  std::vector<std::uint32_t> turns;
  std::uint32_t last = 0;
  for (std::uint32_t packets = 0; packets < 10 * qps; ++packets) {
    std::array<std::uint8_t, TxFrame::kHeaderRoom> room{};
    TxFrame out{.header = room.data()};
    REQUIRE(board->poll(1, std::span(&out, 1)) == 1);
    const std::uint32_t qp = dest_qp_of(out);
    if (qp != last) turns.push_back(0);
    last = qp;
    ++turns.back();
  }
  turns.pop_back();  // the last quantum may be incomplete
  return turns;
}

}  // namespace

TEST_CASE("the fast path sends the same packets at the same times", "[quick]") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    const PauseMode pause = seed % 4 == 0 ? PauseMode::kPfc : PauseMode::kPause;
    Disturbed quick(seed, true, pause);
    Disturbed full(seed, false, pause);
    compare(quick, full, 60);
  }
}

TEST_CASE("the same with very many ready queue pairs", "[quick]") {
  std::uint64_t timeouts = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    Disturbed quick(seed, true, PauseMode::kPause, 1000);
    Disturbed full(seed, false, PauseMode::kPause, 1000);
    compare(quick, full, 100);
    for (std::uint32_t q = 0; q < quick.board->qp_count(); ++q)
      timeouts += quick.board->qp(q).requester().timeouts();
  }
  // If very many queue pairs are ready, the board cancels timers that are no longer needed; the other timers
  // must still expire. The number of timeouts is summed over all seeds, because only 0.25 % of the packets
  // are lost, so a single seed may cause no timeout.
  CHECK(timeouts > 3);
}

TEST_CASE("a quantum is one packet, and up to four with very many ready queue pairs", "[quick]") {
  const auto all_are = [](const std::vector<std::uint32_t>& turns, std::uint32_t packets) {
    return std::all_of(turns.begin(), turns.end(), [packets](std::uint32_t n) { return n == packets; });
  };
  CHECK(all_are(packets_of_turns(256), 1));
  CHECK(all_are(packets_of_turns(257), 4));
}

TEST_CASE("behind a long ready queue, packets keep their departure times", "[quick]") {
  constexpr std::uint32_t kQps = 400;
  constexpr std::uint32_t kRate = 200'000;  // packets per second, so 5 us between packets
  const auto payload = test::FilledPayload::counter(64'000, 256);
  test::BoardBuilder builder(test::identity(1));
  for (std::uint32_t q = 0; q < kQps; ++q) {
    SendQpConfig& s = builder.qp(test::identity(2), *payload, 256);
    s.requester.transport = roce::Transport::kUc;
    s.traffic.rate_kind = RateKind::kPackets;
    s.traffic.rate = kRate;
  }
  const auto board = builder.build();
  board->start(0);
  std::map<std::uint32_t, std::uint64_t> packets;  // number of packets of each queue pair
  std::uint64_t idle = 0;
  Rng rng(1);
  Time now = 0;
  while (now < 2 * kMillisecond) {
    // All queue pairs together need to send a packet every 12.5 ns. For 100 us, the board is polled only
    // about every 24 ns, so the queue of ready queue pairs grows. For the next 100 us, the board is polled
    // about every 10 ns, so that this queue becomes empty.
    now += ((now / (100 * kMicrosecond)) % 2 == 0 ? 24 : 10) * kNanosecond + rng.below(kNanosecond);
    std::array<std::uint8_t, TxFrame::kHeaderRoom> room{};
    TxFrame out{.header = room.data()};
    if (board->poll(now, std::span(&out, 1)) == 0) {
      ++idle;
      continue;
    }
    const std::uint64_t n = packets[dest_qp_of(out)]++;
    REQUIRE(static_cast<Time>(n) * 5 * kMicrosecond <= now);
  }
  CHECK(idle > 1000);
  REQUIRE(packets.size() == kQps);
  const auto [least, most] = std::minmax_element(
      packets.begin(), packets.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  CHECK(least->second + 8 >= most->second);
}
