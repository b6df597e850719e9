// SPDX-License-Identifier: BSD-3-Clause
#include "roce/registration.hpp"

#include "counting_memory.hpp"

#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;

namespace {

using Verdict = RegistrationVerdict;
using Type = RegistrationPacket::Type;

constexpr std::uint32_t kPacket = 512;

RegistrationConfig small_table() {
  return {.packet = kPacket,
          .mask_bits = 130,
          .entries = 2,
          .escape = 2,
          .escape_timeout = 100,
          .remember = 2,
          .notifications = 2};
}

RegistrationPacket first(std::uint32_t op, std::uint64_t address, std::uint32_t count) {
  return {Type::kFirst, 1, op, address, kPacket, count, std::uint64_t{count} * kPacket};
}

RegistrationPacket body(std::uint32_t op, std::uint64_t base, std::uint32_t k,
                        std::uint64_t length = kPacket) {
  return {Type::kBody, 1, op, base + std::uint64_t{k} * kPacket, length};
}

}  // namespace

TEST_CASE("an operation is notified once all its packets have arrived, in any order", "[registration]") {
  Registration table(small_table());
  CHECK(table.packet(1, first(0, 0x1000, 130)) == Verdict::kPlaced);
  CHECK(table.mask(0)[0] == 1);
  CHECK(table.mask(0)[2] == 0);
  for (std::uint32_t k = 129; k > 0; --k) {
    CHECK_FALSE(table.poll());
    CHECK(table.packet(2, body(0, 0x1000, k)) == Verdict::kPlaced);
  }
  CHECK(table.poll() == Notification{2, 1, 0, 0x1000, 130 * kPacket});
  CHECK_FALSE(table.poll());
  CHECK(table.open() == 0);
}

TEST_CASE("the initial mask has a one for every packet that is not expected", "[registration]") {
  RegistrationConfig config = small_table();
  config.mask_bits = 200;
  Registration table(config);
  table.packet(1, first(0, 0, 70));
  CHECK(table.mask(0)[0] == 1);
  CHECK(table.mask(0)[1] == ~std::uint64_t{0x3f});
  CHECK(table.mask(0)[2] == ~std::uint64_t{0});
  CHECK(table.mask(0)[3] == 0xff);
}

TEST_CASE("without announced lengths, the last packet decides", "[registration]") {
  RegistrationConfig config = small_table();
  config.open_length = true;
  Registration table(config);
  table.packet(1, first(0, 0x1000, 3));
  CHECK(table.packet(2, body(0, 0x1000, 1, 100)) == Verdict::kInvalid);  // only the last packet may be short
  CHECK(table.packet(2, body(0, 0x1000, 2, 0)) == Verdict::kInvalid);
  CHECK(table.packet(3, body(0, 0x1000, 2, 100)) == Verdict::kPlaced);
  CHECK(table.packet(4, body(0, 0x1000, 2, 100)) == Verdict::kDuplicate);
  CHECK(table.packet(4, first(0, 0x1000, 3)) == Verdict::kDuplicate);
  CHECK(table.packet(5, body(0, 0x1000, 1)) == Verdict::kPlaced);
  CHECK(table.poll() == Notification{5, 1, 0, 0x1000, 2 * kPacket + 100});
  CHECK(table.counters().bytes == 2 * kPacket + 100);
}

TEST_CASE("addresses at the end of the address space do not wrap", "[registration]") {
  Registration table(small_table());
  const std::uint64_t top = UINT64_MAX - kPacket + 1;
  CHECK(table.packet(1, first(0, top, 2)) == Verdict::kPlaced);  // operation 0 extends beyond 2^64
  CHECK(table.packet(2, first(1, 0, 2)) == Verdict::kPlaced);  // operation 1 at address 0 does not overlap it
  CHECK(table.packet(3, first(2, top - 1, 1)) == Verdict::kEscaped);  // operation 2 overlaps operation 0
}

TEST_CASE("notifications that nobody polls are lost and counted", "[registration]") {
  Registration table(small_table());
  for (std::uint32_t op = 0; op < 3; ++op) table.packet(1, first(op, 0x1000, 1));
  CHECK(table.counters().notifications_lost == 1);
  CHECK(table.poll()->op == 0);
  CHECK(table.poll()->op == 1);
  CHECK_FALSE(table.poll());
}

TEST_CASE("timers are announced", "[registration]") {
  RegistrationConfig config = small_table();
  config.entry_timeout = 50;
  Registration table(config);
  CHECK(table.next_event() == kNever);
  table.packet(10, body(0, 0x1000, 1));
  CHECK(table.next_event() == 110);
  table.packet(20, first(1, 0x9000, 2));
  CHECK(table.next_event() == 70);
  table.advance(70);
  CHECK(table.counters().abandoned == 1);
  CHECK(table.next_event() == 110);
  table.advance(110);
  CHECK(table.counters().of(Verdict::kEscapeTimeout) == 1);
}

TEST_CASE("a registration table allocates only when it is made", "[registration]") {
  softfeb::test::CountingMemory memory;
  Registration table(small_table(), nullptr, &memory);
  const std::size_t allocated = memory.allocations();
  for (std::uint32_t k = 0; k < 10'000; ++k) {
    const std::uint64_t base = (k % 4) * 0x10000;
    table.packet(k, k % 3 == 0 ? first(k / 12, base, 1 + k % 5) : body(k / 12, base, k % 5));
    if (k % 7 == 0) table.poll();
  }
  CHECK(table.counters().complete > 0);
  CHECK(table.counters().of(Verdict::kEscapeFull) > 0);
  CHECK(memory.allocations() == allocated);
  CHECK(Registration::memory_bytes(small_table()) < 1024);
}

TEST_CASE("a registration table needs room", "[registration]") {
  CHECK_THROWS(Registration({.packet = 0}));
  CHECK_THROWS(Registration({.packet = 1, .mask_bits = 0}));
  CHECK_THROWS(Registration({.packet = 1, .entries = 0}));
}
