// SPDX-License-Identifier: BSD-3-Clause
// Tests that congestion control parameters can be changed while a board sends, and checks the board's byte
// counters.
#include "board_builder.hpp"
#include "filled_payload.hpp"
#include "wire.hpp"

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

/// A board whose UC QPs send without end. The first `shared` QPs share one rate.
class Sender {
 public:
  Sender(std::uint32_t qps, std::uint32_t shared) : payload_(test::FilledPayload::counter(1001, 1024)) {
    test::BoardBuilder builder(test::identity(1));
    for (std::uint32_t i = 0; i < qps; ++i) {
      SendQpConfig& s = builder.qp(test::identity(2), *payload_);
      s.requester.transport = roce::Transport::kUc;
      s.congestion = paper(kRate);
      if (i < shared) s.congestion_group = 1;
    }
    board = builder.build();
    wire_.add(*board);
    wire_.now = kMillisecond;
    board->start(now());
  }

  Time now() const { return wire_.now; }
  void run(Time duration) { wire_.run_until(now() + duration); }

  std::uint64_t counted(std::size_t i) const { return board->qp(i).counters().counted_bytes; }

  std::unique_ptr<Board> board;

 private:
  test::FilledPayload payload_;
  test::Wire wire_;
};

/// Checks that a QP has sent as many bytes as `rate` permits in the interval `time`. The token bucket may
/// have been full at the beginning of this interval.
void check_sent(std::uint64_t sent, std::uint64_t rate, Time time) {
  const double ideal = static_cast<double>(rate) * to_seconds(time);
  CHECK(static_cast<double>(sent) >= ideal - 2 * 1100);
  CHECK(static_cast<double>(sent) <= ideal + 4096 + 1100);
}

}  // namespace

TEST_CASE("counted bytes are BTH to pad", "[board][congestion]") {
  Sender s(1, 0);
  s.run(10 * kMillisecond);
  const auto& counters = s.board->qp(0).requester().counters();
  // Congestion control counts BTH (12 bytes), RETH (16), payload (1001) and pad (3).
  CHECK(s.counted(0) == counters.packets * (12 + 16 + 1001 + 3));
  check_sent(s.counted(0), kRate, 10 * kMillisecond);
}

TEST_CASE("a higher line rate takes effect at once, only for that QP", "[board][congestion]") {
  Sender s(2, 0);
  s.run(10 * kMillisecond);
  REQUIRE(s.board->set_congestion(1, paper(4 * kRate), s.now()));
  const std::uint64_t before[] = {s.counted(0), s.counted(1)};
  s.run(10 * kMillisecond);
  check_sent(s.counted(0) - before[0], kRate, 10 * kMillisecond);
  check_sent(s.counted(1) - before[1], 4 * kRate, 10 * kMillisecond);
}

TEST_CASE("QPs that share a rate share the change", "[board][congestion]") {
  Sender s(4, 3);
  s.run(10 * kMillisecond);
  // Change the parameters of one QP after the other, as a worker does.
  for (std::uint32_t i = 0; i < 3; ++i) REQUIRE(s.board->set_congestion(i, paper(4 * kRate), s.now()));
  std::uint64_t before = s.counted(0) + s.counted(1) + s.counted(2);
  const std::uint64_t other = s.counted(3);
  s.run(10 * kMillisecond);
  check_sent(s.counted(0) + s.counted(1) + s.counted(2) - before, 4 * kRate, 10 * kMillisecond);
  check_sent(s.counted(3) - other, kRate, 10 * kMillisecond);
}

TEST_CASE("a profile of another algorithm is refused", "[board][congestion]") {
  Sender s(1, 0);
  CHECK_FALSE(s.board->set_congestion(0, dcqcn::FirmwareSettings{}, s.now()));
  CHECK_FALSE(s.board->set_congestion(0, {}, s.now()));
  // Setting parameters of the current algorithm succeeds even if they are equal to the current parameters.
  CHECK(s.board->set_congestion(0, paper(kRate), s.now()));
}
