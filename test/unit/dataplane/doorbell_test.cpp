// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/doorbell.hpp"

#include "dataplane/idle_wait.hpp"
#include "dataplane/rings.hpp"

#include <thread>

#include <catch2/catch.hpp>
#include <poll.h>

using namespace softfeb;
using namespace softfeb::dataplane;

namespace {

bool rung(const Doorbell& doorbell, int milliseconds) {
  pollfd p{.fd = doorbell.fd(), .events = POLLIN, .revents = 0};
  return poll(&p, 1, milliseconds) == 1;
}

}  // namespace

TEST_CASE("a doorbell rings only while it is armed, and once", "[dataplane][idle]") {
  Doorbell doorbell;
  doorbell.ring();
  CHECK_FALSE(rung(doorbell, 0));
  doorbell.arm();
  doorbell.ring();
  doorbell.ring();
  CHECK(rung(doorbell, 0));
  CHECK_FALSE(doorbell.armed());
  doorbell.clear();
  CHECK_FALSE(rung(doorbell, 0));
}

TEST_CASE("a waiting thread misses no value", "[dataplane][idle]") {
  constexpr int kValues = 20'000;
  constexpr int kLost = 2'000;  // in ms; far longer than a thread is usually preempted
  SpscRing<int> ring(4);
  Doorbell doorbell;
  std::thread producer([&] {
    for (int i = 0; i < kValues; ++i) {
      while (!ring.push(i)) std::this_thread::yield();
      doorbell.ring();
    }
  });
  int lost = 0;
  for (int expected = 0; expected < kValues;) {
    int value = 0;
    if (!ring.pop(value)) {
      doorbell.arm();
      if (ring.empty()) {
        if (!rung(doorbell, kLost)) ++lost;
        doorbell.clear();
      }
      doorbell.disarm();
      continue;
    }
    REQUIRE(value == expected);
    ++expected;
  }
  producer.join();
  CHECK(lost == 0);
}

TEST_CASE("a wait ends when the doorbell rings, or at its timeout", "[dataplane][idle]") {
  IdleWait idle;
  CHECK(idle.usable());
  idle.arm();
  idle.doorbell().ring();
  idle.wait(IdleWait::kLongest);
  CHECK_FALSE(idle.armed());
  CHECK_FALSE(rung(idle.doorbell(), 0));
  idle.arm();
  idle.wait(kMillisecond);
  CHECK_FALSE(idle.doorbell().armed());
  idle.must_poll();
  CHECK_FALSE(idle.usable());
}
