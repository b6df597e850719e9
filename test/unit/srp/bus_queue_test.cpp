// SPDX-License-Identifier: BSD-3-Clause
#include "srp/bus_queue.hpp"

#include "../../support/memory_bus.hpp"

#include <array>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::srp;
using test::MemoryBus;

TEST_CASE("accesses of several users are executed in order") {
  MemoryBus memory(64, false);
  BusQueue bus(memory);
  std::string order;
  const std::array<std::uint8_t, 4> ones{1, 1, 1, 1};
  std::array<std::uint8_t, 4> read{};
  bus.write(0, ones, 0, [&](const BusResult& r, Time at) {
    order += "w" + std::to_string(at);
    CHECK(r.words == 1);
    // If a user starts its next access in the callback, this access is queued behind those of other users.
    bus.read(64, read, at, [&](const BusResult& refused, Time) {
      order += "e";
      CHECK(refused.status == BusStatus::kDecodeError);
    });
  });
  bus.read(0, read, 0, [&](const BusResult&, Time at) {
    order += "r" + std::to_string(at);
    CHECK(read[0] == 1);
  });
  CHECK(order.empty());
  for (Time t = 1; memory.waiting(); ++t) memory.answer(t);
  CHECK(order == "w1r2e");
  CHECK(memory.accesses == 3);
  CHECK_FALSE(memory.overlapped);
}

TEST_CASE("a bus that responds immediately does so through the queue") {
  MemoryBus memory(64, true);
  BusQueue bus(memory);
  std::array<std::uint8_t, 4> read{};
  int done = 0;
  bus.read(0, read, 0, [&](const BusResult&, Time) {
    ++done;
    bus.read(4, read, 0, [&](const BusResult&, Time) { ++done; });
  });
  CHECK(done == 2);
}
