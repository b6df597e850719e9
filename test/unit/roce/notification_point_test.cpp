// SPDX-License-Identifier: BSD-3-Clause
#include "roce/notification_point.hpp"

#include "base/rng.hpp"

#include <map>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;

namespace {

IpPair pair_of(std::uint8_t n) {
  IpPair p{};
  p[31] = n;
  return p;
}

}  // namespace

TEST_CASE("notification point: the first mark at once, then one CNP per interval", "[cnp]") {
  NotificationPoint np({true, CnpScope::kQp, 50 * kMicrosecond});
  const auto slot = np.attach(pair_of(1), 7);
  CHECK(np.on_marked(slot, 0));
  CHECK_FALSE(np.on_marked(slot, 0));
  CHECK_FALSE(np.on_marked(slot, 50 * kMicrosecond - 1));
  CHECK(np.on_marked(slot, 50 * kMicrosecond));
  CHECK_FALSE(np.on_marked(slot, 99 * kMicrosecond));
  // The interval is measured from the previous CNP, not in fixed steps from the first one.
  CHECK(np.on_marked(slot, 400 * kMicrosecond));
  CHECK_FALSE(np.on_marked(slot, 449 * kMicrosecond));
  CHECK(np.marked() == 7);
  CHECK(np.sent() == 3);
}

TEST_CASE("notification point: the scope determines which QPs share an interval", "[cnp]") {
  for (const CnpScope scope : {CnpScope::kQp, CnpScope::kIpPair}) {
    NotificationPoint np({true, scope, kMicrosecond});
    const auto a = np.attach(pair_of(1), 7);
    const auto b = np.attach(pair_of(1), 8);
    const auto c = np.attach(pair_of(2), 7);
    CHECK((a == b) == (scope == CnpScope::kIpPair));
    CHECK(a != c);
    CHECK(np.attach(pair_of(1), 7) == a);
    CHECK(np.on_marked(a, 0));
    CHECK(np.on_marked(b, 0) == (scope == CnpScope::kQp));
    CHECK(np.on_marked(c, 0));
  }
}

TEST_CASE("notification point: disabled it counts marks; without an interval it answers each", "[cnp]") {
  NotificationPoint off({false, CnpScope::kQp, 0});
  const auto slot = off.attach(pair_of(1), 7);
  for (Time t = 0; t < 10; ++t) CHECK_FALSE(off.on_marked(slot, t));
  CHECK(off.marked() == 10);
  NotificationPoint each({true, CnpScope::kQp, 0});
  const auto s = each.attach(pair_of(1), 7);
  for (int i = 0; i < 10; ++i) CHECK(each.on_marked(s, 5));
  CHECK_FALSE(each.on_marked(s + 1, 5));  // no queue pair is attached to this slot
}

TEST_CASE("notification point: many QPs against a model", "[cnp]") {
  NotificationPoint np({true, CnpScope::kQp, 4 * kMicrosecond});
  std::vector<NotificationPoint::Slot> slots;
  for (Qpn q = 0; q < 2000; ++q) slots.push_back(np.attach(pair_of(static_cast<std::uint8_t>(q % 4)), q));
  std::map<Qpn, Time> last;
  Rng rng(1);
  Time now = 0;
  for (int i = 0; i < 50000; ++i) {
    now += rng.below(20 * kNanosecond);
    const auto q = static_cast<Qpn>(rng.below(2000));
    const bool due = last.count(q) == 0 || now - last[q] >= 4 * kMicrosecond;
    REQUIRE(np.on_marked(slots[q], now) == due);
    if (due) last[q] = now;
  }
}
