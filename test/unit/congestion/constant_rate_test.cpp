// SPDX-License-Identifier: BSD-3-Clause
// Tests a minimal implementation of the CongestionControl interface.
#include "congestion/congestion_control.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::congestion;

namespace {

class ConstantRate final : public CongestionControl {
 public:
  explicit ConstantRate(std::uint64_t rate, Hooks hooks = 0) : CongestionControl(hooks), rate_(rate) {}
  std::size_t memory() const override { return sizeof *this; }
  CongestionState state(Time) const override { return {.rate = rate_, .target_rate = rate_}; }
  int asked = 0;

 private:
  Departure find_departure(std::uint32_t, Time) override {
    ++asked;
    return {next_, true};
  }
  void on_start(Time now) override { next_ = now; }
  void on_sent(std::uint32_t bytes, Time now) override {
    const std::uint64_t total = bytes * kSecond + remainder_;
    next_ = std::max(next_, now) + total / rate_;
    remainder_ = total % rate_;
  }

  std::uint64_t rate_;
  std::uint64_t remainder_ = 0;
  Time next_ = 0;
};

}  // namespace

TEST_CASE("constant rate: packets follow the rate to the picosecond", "[congestion]") {
  ConstantRate constant(3'000'000'000);
  CongestionControl& cc = constant;
  cc.start(1000);
  Time now = 0;
  for (int i = 0; i < 3'000'000; ++i) {
    now = cc.departure(1000, now);
    cc.sent(1000, now);
  }
  CHECK(cc.departure(1000, now) == 1000 + kSecond);
  CHECK(cc.window() == CongestionControl::kNoWindow);
  CHECK(cc.priority(0) == CongestionControl::kNoPriority);
  CHECK(cc.ack_spacing() == CongestionControl::kNoAckSpacing);
  CHECK(cc.rank(0) == 0);
  CHECK(cc.credit(0) == CongestionControl::kNoCredit);
  CHECK(cc.timer() == kNever);
}

TEST_CASE("a departure is computed once between two events", "[congestion]") {
  ConstantRate cc(1'000'000, kOnAck | kOnNak | kOnCnp | kOnGranted | kOnPosted | kTimer);
  cc.start(0);
  for (Time now = 0; now < 100; ++now) cc.departure(1000, now);
  CHECK(cc.asked == 1);
  cc.departure(999, 100);
  CHECK(cc.asked == 2);
  cc.sent(999, 100);
  cc.departure(999, 100);
  cc.cnp(101);
  cc.departure(999, 101);
  cc.ack({.sent_at = 100, .bytes = 999}, 102);
  cc.departure(999, 102);
  cc.nak(Nak::kTimeout, 103);
  cc.departure(999, 103);
  cc.timer_expired(104);
  cc.departure(999, 104);
  cc.departure(999, 105);
  CHECK(cc.asked == 7);
  cc.granted(5, 1, 106);
  cc.departure(999, 106);
  cc.posted(4096, 0, 107);
  cc.departure(999, 107);
  CHECK(cc.asked == 9);
}

TEST_CASE("unused hooks change nothing", "[congestion]") {
  ConstantRate cc(1'000'000, kOnCnp);
  cc.start(0);
  cc.departure(999, 1);
  cc.ack({.bytes = 999}, 2);
  cc.nak(Nak::kTimeout, 2);
  cc.granted(5, 1, 2);
  cc.posted(4096, 0, 2);
  cc.timer_expired(2);
  cc.departure(999, 2);
  CHECK(cc.asked == 1);
  cc.cnp(3);
  cc.departure(999, 3);
  CHECK(cc.asked == 2);
  CHECK(cc.uses(kOnCnp | kWindow));
  CHECK_FALSE(cc.uses(kOnAck | kWindow));
}
