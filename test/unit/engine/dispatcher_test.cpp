// SPDX-License-Identifier: BSD-3-Clause
// Tests that the dispatcher's registers, bursts and ring of slots behave as in WorkReqDispatcher.vhd.
#include "engine/dispatcher.hpp"

#include "base/rng.hpp"
#include "engine/qp_table.hpp"

#include <map>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::engine;

namespace {

board::Dispatch burst(std::uint32_t count, std::uint32_t ring) {
  board::Dispatch d;
  d.count = count;
  d.length = 0x100;
  d.remote_address = 0x10000;
  d.rkey = 0x77;
  d.address_wrap_count = ring;
  return d;
}

/// Returns the slots of the remaining requests of a burst.
std::vector<std::uint64_t> slots(Dispatcher& d) {
  std::vector<std::uint64_t> out;
  while (d.waiting() != 0) out.push_back((d.next().remote_address - 0x10000) / 0x100);
  return out;
}

}  // namespace

TEST_CASE("a burst is WRITEs with immediate 1 around the ring, which later bursts continue", "[dispatcher]") {
  Dispatcher d;
  CHECK(d.waiting() == 0);
  d.write(burst(5, 3));
  REQUIRE(d.waiting() == 5);
  const roce::WorkRequest w = d.next();
  CHECK(w.opcode == roce::WrOpcode::kWriteImm);
  CHECK(w.immediate == 1);
  CHECK(w.signaled);
  CHECK_FALSE(w.solicited);
  CHECK(w.rkey == 0x77);
  CHECK(w.length == 0x100);
  CHECK(slots(d) == std::vector<std::uint64_t>{1, 2, 0, 1});
  d.write(burst(2, 3));
  CHECK(slots(d) == std::vector<std::uint64_t>{2, 0});
}

TEST_CASE("the ring restarts when RemAddr changes between bursts, but not during one", "[dispatcher]") {
  Dispatcher d;
  d.write(burst(2, 8));
  CHECK(slots(d) == std::vector<std::uint64_t>{0, 1});
  auto other = burst(1, 8);
  other.remote_address = 0x20000;
  other.start = false;
  d.write(other);
  CHECK(d.waiting() == 0);
  d.write(burst(3, 8));  // changes RemAddr back, so the ring restarts
  CHECK(d.next().remote_address == 0x10000);
  // during a burst, a rising edge of Start does not start another burst, but the other registers take effect
  other.start = true;
  other.count = 4;
  d.write(other);
  CHECK(d.waiting() == 3);
  CHECK(d.next().remote_address == 0x20100);
  CHECK(d.next().remote_address == 0x20200);
  CHECK(d.next().remote_address == 0x20300);
  CHECK(d.waiting() == 0);
}

TEST_CASE("no ring, a ring that shrinks, and the widest", "[dispatcher]") {
  Dispatcher d;
  d.write(burst(3, 0));
  CHECK(slots(d) == std::vector<std::uint64_t>{0, 0, 0});
  d.write(burst(3, 8));
  CHECK(slots(d) == std::vector<std::uint64_t>{0, 1, 2});
  d.write(burst(3, 2));  // the first message uses the current slot, although the new ring is shorter
  CHECK(slots(d) == std::vector<std::uint64_t>{3, 0, 1});
  d.write(burst(0xffffff, UINT32_MAX));
  CHECK(d.drop() == 0xffffff);
  d.write(burst(2, UINT32_MAX));
  CHECK(slots(d) == std::vector<std::uint64_t>{0xffffff, 0});
}

TEST_CASE("a count of 0 starts nothing; lowering it during a burst ends the burst", "[dispatcher]") {
  Dispatcher d;
  d.write(burst(0, 4));
  CHECK(d.waiting() == 0);
  d.write(burst(0x1000000, 4));  // the count has 24 bits, so it becomes 0
  CHECK(d.waiting() == 0);
  d.write(burst(10, 4));
  for (int i = 0; i < 5; ++i) d.next();
  auto lower = burst(3, 4);
  lower.start = false;
  d.write(lower);
  CHECK(d.waiting() == 1);
  CHECK(slots(d).size() == 1);
}

TEST_CASE("dropping requests advances like generating them", "[dispatcher]") {
  Rng rng(3);
  Dispatcher dropped, made;
  for (int i = 0; i < 300; ++i) {
    const auto b =
        burst(static_cast<std::uint32_t>(1 + rng.below(40)), static_cast<std::uint32_t>(rng.below(9)));
    dropped.write(b);
    made.write(b);
    const std::uint64_t before = rng.below(b.count + 1);
    for (std::uint64_t k = 0; k < before; ++k)
      REQUIRE(dropped.next().remote_address == made.next().remote_address);
    CHECK(dropped.drop() == slots(made).size());
  }
  CHECK(dropped.drop() == 0);
}

TEST_CASE("the checker counts nothing while its reset is asserted", "[dispatcher]") {
  CompletionChecker c;
  c.count(3, 1);
  CHECK(c.ok() == 3);
  CHECK(c.failed() == 1);
  c.set_reset(true);
  c.count(5, 5);
  CHECK(c.ok() == 0);
  CHECK(c.failed() == 0);
  c.set_reset(false);
  c.count(2, 0);
  CHECK(c.ok() == 2);
}

TEST_CASE("QPNs are added to and removed from the table", "[dispatcher]") {
  Rng rng(5);
  QpTable table;
  table.reserve(24);
  std::map<roce::Qpn, std::uint32_t> model;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const auto qpn = static_cast<roce::Qpn>(rng.below(64));
    if (rng.below(2) == 0) {
      if (model.size() < 24) CHECK(table.insert(qpn, i) == model.emplace(qpn, i).second);
    } else {
      table.erase(qpn);
      model.erase(qpn);
    }
    for (roce::Qpn q = 0; q < 64; ++q) {
      const auto it = model.find(q);
      if (table.find(q) != (it == model.end() ? QpTable::kNotFound : it->second)) FAIL("QPN " << q);
    }
  }
}
