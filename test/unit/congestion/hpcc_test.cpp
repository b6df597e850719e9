// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/hpcc.hpp"

#include "microseconds.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::congestion;
using softfeb::test::us;

namespace {

constexpr std::uint64_t kPort = 1'250'000'000;

/// The state of a switch port. Unlike in an INT record, its time and its byte counter do not wrap.
struct Port {
  std::uint64_t rate = kPort;
  Time at = kMillisecond;
  std::uint64_t tx_bytes = 0;
};

/// Passes acknowledgements to `hpcc`. The acknowledgements contain INT records of ports with a given load.
class HpccPath {
 public:
  explicit HpccPath(Hpcc& hpcc, std::size_t ports = 1, const Port& start = {})
      : hpcc_(hpcc), ports_(ports, start) {
    hpcc.start(now_);
  }
  void ack(Time gap, double load, std::uint32_t queue = 0, std::uint16_t path = 0) {
    now_ += gap;
    std::vector<IntRecord> records;
    for (Port& p : ports_) {
      p.at += gap;
      p.tx_bytes += static_cast<std::uint64_t>(load * kPort * to_seconds(gap));
      records.push_back(IntRecord::of(p.rate, p.at, p.tx_bytes, queue));
    }
    acked_ += 4;
    hpcc_.ack({.packets = 4, .acked = acked_, .sent = acked_ + 4, .path = path, .records = records}, now_);
  }
  std::vector<Port>& ports() { return ports_; }
  Time now() const { return now_; }

 private:
  Hpcc& hpcc_;
  std::vector<Port> ports_;
  Time now_ = kSecond;
  std::uint64_t acked_ = 0;
};

constexpr double kFull = 1.25e9 * 13e-6;

}  // namespace

TEST_CASE("hpcc: initial state", "[congestion][hpcc]") {
  const Hpcc hpcc;
  CHECK(hpcc.ack_spacing() == 0);
  CHECK(hpcc.memory() <= 256);
  CHECK(hpcc.window() == 16'250);
  CHECK(hpcc.rate() == Approx(1.25e9));
  CHECK(hpcc.state(0).utilization == 1.0);
  CHECK_FALSE(hpcc.uses(kOnCnp | kOnGranted | kOnPosted | kTimer | kPriority | kRank));
}

TEST_CASE("hpcc: without records nothing changes", "[congestion][hpcc]") {
  Hpcc hpcc;
  hpcc.start(0);
  for (Time now = 1; now < us(1000); now += us(1))
    hpcc.ack({.sent_at = now - 1, .packets = 1, .acked = now, .sent = now + 9}, now);
  for (const Nak nak : {Nak::kSequence, Nak::kReceiverNotReady, Nak::kTimeout}) hpcc.nak(nak, us(1000));
  hpcc.cnp(us(1000));
  CHECK(hpcc.window_bytes() == Approx(kFull));
  CHECK(hpcc.last_update() == 0);
}

TEST_CASE("hpcc: it does not matter where the counters wrap", "[congestion][hpcc]") {
  constexpr Time kTimeRange = (Time{1} << IntRecord::kTimeBits) * kNanosecond;
  constexpr std::uint64_t kTxRange = std::uint64_t{IntRecord::kTxUnit} << IntRecord::kTxBits;
  Hpcc early, late;
  HpccPath a(early, 3), b(late, 3, {.at = kTimeRange / 3, .tx_bytes = kTxRange / 2});
  for (int i = 0; i < 40'000; ++i) {
    for (HpccPath* path : {&a, &b}) path->ack(us(5), 0.8 + i % 7 * 0.05, i % 3 == 0 ? 4000 : 0);
    REQUIRE(early.window_bytes() == late.window_bytes());
  }
  CHECK(a.ports()[0].at > 10 * kTimeRange);
  CHECK(a.ports()[0].tx_bytes > kTxRange);
  CHECK(early.window_bytes() < kFull);
}

TEST_CASE("hpcc: the window rests at its bounds", "[congestion][hpcc]") {
  Hpcc hpcc({.w_ai = 0});
  HpccPath path(hpcc);
  for (int i = 0; i < 200; ++i) path.ack(us(20), 1, 50'000'000);
  CHECK(hpcc.window_bytes() == Approx(1.25e6 * 13e-6));
  for (int i = 0; i < 200; ++i) path.ack(us(20), 0.001);
  CHECK(hpcc.window_bytes() == Approx(kFull));
}

TEST_CASE("hpcc: records that cannot be compared are only stored", "[congestion][hpcc]") {
  const auto changes = [](auto&& act) {
    Hpcc hpcc;
    HpccPath path(hpcc);
    path.ack(us(5), 1);
    act(hpcc, path);
    return hpcc.utilization() != 1;
  };
  CHECK(changes([](Hpcc&, HpccPath& p) { p.ack(us(5), 1, 9000); }));
  CHECK(changes([](Hpcc&, HpccPath& p) { p.ack(us(7999), 0.02); }));
  CHECK_FALSE(changes([](Hpcc&, HpccPath& p) { p.ack(us(8001), 0.02); }));
  CHECK_FALSE(changes([](Hpcc&, HpccPath& p) { p.ack(us(5), 1, 9000, 1); }));
  CHECK_FALSE(changes([](Hpcc& h, HpccPath& p) {
    h.nak(Nak::kTimeout, p.now());
    p.ack(us(5), 1, 9000);
  }));
  CHECK_FALSE(changes([](Hpcc&, HpccPath& p) {
    p.ports().push_back(p.ports()[0]);
    p.ack(us(5), 1, 9000);
  }));
  // At 400 Gb/s, the byte counter of an INT record advances by half of its range within 1.3 ms. HPCC
  // therefore does not compare records that are further apart.
  CHECK_FALSE(changes([](Hpcc&, HpccPath& p) {
    p.ports()[0].rate = 50'000'000'000;
    p.ack(us(1400), 0.02);
  }));
}

TEST_CASE("hpcc: ports of unknown rate are ignored, and so is a sixth record", "[congestion][hpcc]") {
  Hpcc hpcc;
  HpccPath path(hpcc, 7);
  path.ports()[2].rate = 0;
  // The last two ports are so slow that their records would signal overload. HPCC must ignore these records,
  // because it supports at most five per packet.
  for (std::size_t i = 5; i < 7; ++i) path.ports()[i].rate = 125'000'000;
  // Within this gap, a port at half of its rate advances the byte counter of its record by exactly 100 units.
  constexpr Time kGap = 20'480 * kNanosecond;
  for (int i = 0; i < 50; ++i) path.ack(kGap, 0.5);
  CHECK(hpcc.utilization() == Approx(0.5).margin(0.001));
  for (Port& p : path.ports()) p.rate = 0;
  path.ack(kGap, 1);
  CHECK(hpcc.utilization() == Approx(0.5).margin(0.001));
}

TEST_CASE("hpcc: packets are paced at W / T", "[congestion][hpcc]") {
  Hpcc hpcc({.line_rate = 1'000'000'000});
  hpcc.start(us(1));
  CHECK(hpcc.sent_then_departure(1000, 1000, us(1)) == Approx(us(2)).margin(1));
}

TEST_CASE("hpcc: new parameters bound the window", "[congestion][hpcc]") {
  Hpcc hpcc;
  hpcc.set_parameters({.line_rate = 1'000'000'000}, 0);
  CHECK(hpcc.window_bytes() == Approx(13'000));
  CHECK(hpcc.reference_window() == Approx(13'000));
  CHECK(hpcc.rate() == Approx(1e9));
}
