// SPDX-License-Identifier: BSD-3-Clause
#include "applications/registration.hpp"

#include <stdexcept>
#include <utility>

#include <catch2/catch.hpp>

using namespace softfeb;
using Result = TransferReceiver::Result;

namespace {

constexpr std::uint32_t immediate(std::uint32_t op, std::uint32_t count, std::uint32_t index) {
  return op << 20 | (count - 1) << 10 | index;
}

}  // namespace

TEST_CASE("an application learns of complete transfers") {
  TransferReceiver transfers({.segment_bytes = 4096, .segments = 16, .sources = 2});
  CHECK(transfers.memory_bytes() == 2 * 4 * 16 * 4096);
  CHECK(transfers.completed(1, immediate(5, 2, 1), 100, 1000) == Result::kWaiting);
  CHECK_FALSE(transfers.poll());
  CHECK(transfers.completed(1, immediate(5, 2, 0), 4096, 2000) == Result::kPlaced);
  const auto n = transfers.poll();
  REQUIRE(n);
  CHECK(n->source == 1);
  CHECK(n->op == 5);
  CHECK(n->offset == (4 + 1) * 16 * 4096);
  CHECK(n->bytes == 4196);
  CHECK(n->time_ns == 2000);
  CHECK_FALSE(transfers.poll());
  CHECK(transfers.completed(1, immediate(5, 2, 0), 4096, 3000) == Result::kDuplicate);
  CHECK(transfers.completed(2, immediate(0, 1, 0), 1, 3000) == Result::kRejected);
  CHECK(transfers.completed(0, immediate(0, 1, 0), 5000, 3000) == Result::kRejected);
  const auto c = transfers.counters();
  CHECK(c.messages == 5);
  CHECK(c.placed == 2);
  CHECK(c.duplicate == 1);
  CHECK(c.rejected == 2);
  CHECK(c.complete == 1);
}

TEST_CASE("abandoned transfers are handed over with what arrived") {
  TransferReceiver transfers({.segment_bytes = 10, .segments = 100, .slots = 2048, .entry_timeout_ns = 50});
  CHECK(transfers.completed(0, immediate(0, 100, 0), 10, 0) == Result::kPlaced);
  CHECK(transfers.completed(0, immediate(0, 100, 70), 10, 1) == Result::kPlaced);
  transfers.advance(49);
  CHECK_FALSE(transfers.poll_abandoned());
  transfers.advance(50);
  const auto gone = transfers.poll_abandoned();
  REQUIRE(gone);
  CHECK(gone->segments == 100);
  CHECK(gone->missing == 98);
  CHECK(gone->arrived(0));
  CHECK_FALSE(gone->arrived(1));
  CHECK(gone->arrived(70));
  CHECK_FALSE(transfers.poll_abandoned());

  // `transfers` keeps only the latest 64 of these 100 notifications.
  for (std::uint32_t op = 1; op <= 100; ++op) transfers.completed(0, immediate(op, 2, 0), 10, 100 * op);
  transfers.advance(1'000'000);
  for (std::uint32_t op = 37; op <= 100; ++op) CHECK(transfers.poll_abandoned()->op == op);
  CHECK_FALSE(transfers.poll_abandoned());
  CHECK(transfers.counters().abandoned == 101);
}

TEST_CASE("notifications that nobody polls are counted") {
  TransferReceiver transfers({.segment_bytes = 10, .notifications = 2});
  TransferReceiver moved = std::move(transfers);
  for (std::uint32_t op = 0; op < 5; ++op) moved.completed(0, immediate(op, 1, 0), 3, op);
  CHECK(moved.poll()->op == 0);
  CHECK(moved.counters().notifications_lost == 3);
}

TEST_CASE("settings out of range are refused") {
  CHECK_THROWS_AS(TransferReceiver({.segment_bytes = 0}), std::invalid_argument);
  CHECK_THROWS_AS(TransferReceiver({.segment_bytes = 1, .segments = 1025}), std::invalid_argument);
  CHECK_THROWS_AS(TransferReceiver({.segment_bytes = 1, .slots = 0}), std::invalid_argument);
  CHECK_THROWS_AS(TransferReceiver({.segment_bytes = 1, .entries = 0}), std::invalid_argument);
}
