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

/// Acknowledgements with the records of ports under constant load.
class HpccPath {
 public:
  explicit HpccPath(Hpcc& hpcc, std::size_t ports = 1, Time at = kMillisecond)
      : hpcc_(hpcc), records_(ports, IntRecord{.rate = kPort, .at = at}) {
    hpcc.start(now_);
  }
  void ack(Time gap, double load, std::uint32_t queue = 0, std::uint16_t path = 0) {
    now_ += gap;
    for (IntRecord& r : records_) {
      r.at += gap;
      r.tx_bytes += static_cast<std::uint64_t>(load * kPort * to_seconds(gap));
      r.queue = queue;
    }
    acked_ += 4;
    std::vector<IntRecord> sent = records_;
    if (wire) {
      for (IntRecord& r : sent) {
        r.at %= (Time{1} << IntRecord::kTimeBits) * kNanosecond;
        r.tx_bytes %= std::uint64_t{1} << IntRecord::kByteBits;
      }
    }
    hpcc_.ack({.packets = 4, .acked = acked_, .sent = acked_ + 4, .path = path, .records = sent}, now_);
  }
  std::vector<IntRecord>& records() { return records_; }
  Time now() const { return now_; }
  bool wire = false;  ///< counters wrap as in the header

 private:
  Hpcc& hpcc_;
  std::vector<IntRecord> records_;
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

TEST_CASE("hpcc: counters that wrap give the same window", "[congestion][hpcc]") {
  Hpcc whole, wrapped;
  HpccPath a(whole, 3), b(wrapped, 3);
  b.wire = true;
  for (int i = 0; i < 40'000; ++i) {
    for (HpccPath* path : {&a, &b}) path->ack(us(5), 0.8 + i % 7 * 0.05, i % 3 == 0 ? 4000 : 0);
    REQUIRE(wrapped.window_bytes() == whole.window_bytes());
  }
  CHECK(a.records()[0].at > 10 * (Time{1} << IntRecord::kTimeBits) * kNanosecond);
  CHECK(a.records()[0].tx_bytes > std::uint64_t{1} << IntRecord::kByteBits);
  CHECK(whole.window_bytes() < kFull);
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
    p.records().push_back(p.records()[0]);
    p.ack(us(5), 1, 9000);
  }));
  // At 400 Gb/s the byte counter can exceed half of its range within 1.3 ms.
  CHECK_FALSE(changes([](Hpcc&, HpccPath& p) {
    p.records()[0].rate = 50'000'000'000;
    p.ack(us(1400), 0.02);
  }));
}

TEST_CASE("hpcc: ports of unknown rate are ignored, and so is a sixth record", "[congestion][hpcc]") {
  Hpcc hpcc;
  HpccPath path(hpcc, 7);
  path.records()[2].rate = 0;
  for (std::size_t i = 5; i < 7; ++i) path.records()[i].rate = 1;  // would be overloaded
  for (int i = 0; i < 50; ++i) path.ack(us(20), 0.5);
  CHECK(hpcc.utilization() == Approx(0.5).margin(0.001));
  for (IntRecord& r : path.records()) r.rate = 0;
  path.ack(us(20), 1);
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
