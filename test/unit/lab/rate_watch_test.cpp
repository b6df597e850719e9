// SPDX-License-Identifier: BSD-3-Clause
#include "lab/rate_watch.hpp"

#include "base/rng.hpp"
#include "lone_board.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::lab;
using test::LoneBoard;

namespace {

constexpr Time kInterval = 100 * kMicrosecond;

dcqcn::FirmwareSettings profile() {
  dcqcn::FirmwareSettings p;
  p.parameters.rate_inc_interval = 20'000;
  p.parameters.clamp_tgt_rate = true;
  p.bucket.size = 16'384;
  return p;
}

/// Shapes queue pairs so that QPs 0 and 1 share a rate, QP 2 has its own rate, and QP 3 has none.
void shape(engine::SendQpConfig& qp, std::uint32_t i) {
  if (i == 3) {
    qp.traffic.messages = 1;
    return;
  }
  qp.congestion = profile();
  if (i < 2) qp.congestion_group = 0;
}

class WatchedBoard {
 public:
  WatchedBoard() : board_(4, shape), watch_({&board_.board()}, kInterval) {
    snapshots_.push_back(engine::make_snapshot(board_.board()));
  }

  engine::Board& board() { return board_.board(); }
  RateWatch& watch() { return watch_; }

  void run(Time end, std::uint64_t seed) {
    if (board_.now() == 0) board_.start();
    Rng rng(seed);
    Time next_cnp = board_.now() + kMillisecond;
    while (board_.now() < end) {
      const Time at = std::min(next_cnp, watch_.due());
      board_.run_until(at, [](const test::Departure&) {});
      if (at == next_cnp) {
        board_.cnp(static_cast<std::uint32_t>(rng.below(4)));
        next_cnp += 300 * kMicrosecond + rng.below(kMillisecond);
      }
      if (at == watch_.due()) sample(at);
    }
  }

 private:
  void sample(Time at) {
    engine::take_snapshot(board_.board(), snapshots_[0], 0, 4, at);
    watch_.add({.at = at, .endpoints = &snapshots_});
  }

  LoneBoard board_;
  RateWatch watch_;
  std::vector<engine::EndpointSnapshot> snapshots_;
};

}  // namespace

TEST_CASE("a board sends what its CNPs and parameters permit, millisecond by millisecond", "[rate_watch]") {
  WatchedBoard r;
  r.run(100 * kMillisecond, 1);
  engine::CongestionSettings other = profile();
  std::get<dcqcn::FirmwareSettings>(other).parameters.rai = 48'000'000;
  REQUIRE(r.board().set_congestion(1, other, 100 * kMillisecond));
  r.run(200 * kMillisecond, 2);
  const auto figures = r.watch().figures();
  REQUIRE(figures.size() == 2);
  CHECK(figures[0].qp == 0);
  CHECK(figures[1].qp == 2);
  for (const RateStats& f : figures) {
    INFO(f.sawtooth.sent.teeth << " teeth of " << f.sawtooth.sent.depth << " each " << f.sawtooth.sent.period
                               << " ps; " << f.sawtooth.predicted.teeth << " teeth of "
                               << f.sawtooth.predicted.depth << " each " << f.sawtooth.predicted.period
                               << " ps");
    CHECK(f.cnps > 20);
    CHECK(f.tracking.windows > 150);
    CHECK(f.tracking.worst == 0);
    CHECK(f.tracking.largest_difference < 4096 + 32);
    CHECK(f.sawtooth.sent.teeth > 20);
    REQUIRE(f.sawtooth.difference().has_value());
    CHECK(*f.sawtooth.difference() < 0.001);
  }
  CHECK(worst_tracking(figures) == 0.0);
  CHECK(worst_sawtooth(figures) < 0.001);
}

TEST_CASE("without data there is no judgement", "[rate_watch]") {
  WatchedBoard r;
  CHECK_FALSE(worst_tracking(r.watch().figures()).has_value());
  CHECK_FALSE(worst_sawtooth(r.watch().figures()).has_value());
}
