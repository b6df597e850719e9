// SPDX-License-Identifier: BSD-3-Clause
// Changes of congestion control parameters while a board sends, and its byte counters.
#include "board/payload.hpp"
#include "engine/board.hpp"

#include <array>
#include <memory>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::engine;

namespace {

constexpr std::uint64_t kRate = 125'000'000;  // bytes per second

dcqcn::PaperSettings paper(std::uint64_t line_rate) {
  dcqcn::PaperSettings p;
  p.parameters.line_rate = line_rate;
  p.bucket.size = 4096;
  return p;
}

/// A board whose UC QPs send forever to a known address.
class Sender {
 public:
  Sender(std::uint32_t qps, std::uint32_t shared) {
    payload_ =
        board::make_payload({.kind = board::PayloadKind::kCounter, .message_length = 1001, .pmtu = 1024});
    arena_.resize(payload_->arena_bytes());
    payload_->fill(arena_);
    BoardConfig config;
    config.identity.mac = {2, 0, 0, 0, 0, 1};
    config.identity.ip = *roce::IpAddress::parse("10.0.0.1");
    for (std::uint32_t i = 0; i < qps; ++i) {
      SendQpConfig s;
      s.requester.transport = roce::Transport::kUc;
      s.requester.qpn = 0x100 + i;
      s.requester.dest_qpn = 0x800 + i;
      s.path.source_mac = config.identity.mac;
      s.path.source_ip = config.identity.ip;
      s.path.dest_ip = *roce::IpAddress::parse("10.0.0.2");
      s.peer_mac = roce::MacAddress{2, 0, 0, 0, 0, 2};
      s.payload = payload_.get();
      s.traffic.plan = payload_->plan();
      s.congestion = paper(kRate);
      if (i < shared) s.congestion_group = 1;
      config.qps.push_back(s);
    }
    board = std::make_unique<Board>(config);
    board->start(now);
  }

  void run(Time until) {
    std::array<std::array<std::uint8_t, TxFrame::kHeaderRoom>, 8> headers;
    while (now < until) {
      std::array<TxFrame, 8> frames;
      for (std::size_t i = 0; i < frames.size(); ++i) frames[i].header = headers[i].data();
      if (board->poll(now, frames) == frames.size()) continue;
      now = std::min(until, std::max(now + 1, board->next_event(now)));
    }
  }

  std::uint64_t counted(std::size_t i) const { return board->qp(i).counters().counted_bytes; }

  std::unique_ptr<Board> board;
  Time now = kMillisecond;

 private:
  std::unique_ptr<board::PayloadSource> payload_;
  std::vector<std::uint8_t> arena_;
};

/// Bytes that a QP may send at `rate` in a time that began with a full bucket, as a double for Approx.
void check_sent(std::uint64_t sent, std::uint64_t rate, Time time) {
  const double ideal = static_cast<double>(rate) * to_seconds(time);
  CHECK(static_cast<double>(sent) >= ideal - 2 * 1100);
  CHECK(static_cast<double>(sent) <= ideal + 4096 + 1100);
}

}  // namespace

TEST_CASE("counted bytes are BTH to pad", "[board][congestion]") {
  Sender s(1, 0);
  s.run(s.now + 10 * kMillisecond);
  const auto& counters = s.board->qp(0).requester().counters();
  // BTH 12, RETH 16, payload 1001, pad 3.
  CHECK(s.counted(0) == counters.packets * (12 + 16 + 1001 + 3));
  check_sent(s.counted(0), kRate, 10 * kMillisecond);
}

TEST_CASE("a higher line rate takes effect at once, only for that QP", "[board][congestion]") {
  Sender s(2, 0);
  s.run(s.now + 10 * kMillisecond);
  REQUIRE(s.board->set_congestion(1, paper(4 * kRate), s.now));
  const std::uint64_t before[] = {s.counted(0), s.counted(1)};
  s.run(s.now + 10 * kMillisecond);
  check_sent(s.counted(0) - before[0], kRate, 10 * kMillisecond);
  check_sent(s.counted(1) - before[1], 4 * kRate, 10 * kMillisecond);
}

TEST_CASE("QPs that share a rate share the change", "[board][congestion]") {
  Sender s(4, 3);
  s.run(s.now + 10 * kMillisecond);
  // Like a worker: QP by QP.
  for (std::uint32_t i = 0; i < 3; ++i) REQUIRE(s.board->set_congestion(i, paper(4 * kRate), s.now));
  std::uint64_t before = s.counted(0) + s.counted(1) + s.counted(2);
  const std::uint64_t other = s.counted(3);
  s.run(s.now + 10 * kMillisecond);
  check_sent(s.counted(0) + s.counted(1) + s.counted(2) - before, 4 * kRate, 10 * kMillisecond);
  check_sent(s.counted(3) - other, kRate, 10 * kMillisecond);
}

TEST_CASE("a profile of another algorithm is refused", "[board][congestion]") {
  Sender s(1, 0);
  CHECK_FALSE(s.board->set_congestion(0, dcqcn::FirmwareSettings{}, s.now));
  CHECK_FALSE(s.board->set_congestion(0, {}, s.now));
  CHECK(s.board->set_congestion(0, paper(kRate), s.now));  // the same parameters are accepted
}
