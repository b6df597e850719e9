// SPDX-License-Identifier: BSD-3-Clause
#include "receive_accounting.hpp"

#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::sink;

namespace {

/// The memory and the accounting of a QP, and a sender that writes the counter pattern.
struct Bench {
  Bench(Hello what, std::uint64_t slots, bool live)
      : hello(std::move(what)),
        memory(std::max<std::size_t>(1, hello.message_size * slots), kUntouched),
        expected(hello, ""),
        ledger(hello, 0, slots, live, memory, expected.stream()) {}

  void write(std::uint64_t n, std::size_t length) {
    const std::uint64_t slots = ledger.slots();
    for (std::size_t i = 0; i < length; ++i)
      memory[n % slots * hello.message_size + i] = static_cast<std::uint8_t>(n * hello.message_size + i);
  }
  void write(std::uint64_t n) { write(n, hello.message_size); }

  Hello hello;
  std::vector<std::uint8_t> memory;
  ExpectedPayload expected;
  ReceiveAccounting ledger;
};

Hello counting(std::uint32_t size, roce::Transport transport, ImmediateRule immediate) {
  Hello hello;
  hello.transport = transport;
  hello.pmtu = 256;
  hello.message_size = size;
  hello.immediate = immediate;
  hello.payload.kind = board::PayloadKind::kCounter;
  return hello;
}

constexpr ImmediateRule kNoImmediate{};
constexpr ImmediateRule kCounter{ImmediateRule::Kind::kCounter, 0xfffffffe};

}  // namespace

TEST_CASE("RC with immediates: each message is checked before its slot is used again", "[rdma-sink]") {
  Bench b(counting(700, roce::Transport::kRc, kCounter), 3, true);
  for (std::uint64_t n = 0; n < 10; ++n) {
    b.write(n);
    if (n == 4) b.memory[n % 3 * 700 + 699] ^= 1;
    CHECK(b.ledger.on_immediate(static_cast<std::uint32_t>(0xfffffffe + n), 700) == n);
  }
  b.ledger.finish(10);
  CHECK(b.ledger.messages() == 10);
  CHECK(b.ledger.bytes() == 7000);
  CHECK(b.ledger.missing() == 0);
  CHECK(b.ledger.wrong_immediates() == 0);
  CHECK(b.ledger.check()->checked() == 7000);
  REQUIRE(b.ledger.check()->wrong() == 1);
  CHECK(b.ledger.check()->mismatches()[0].message == 4);
  CHECK(b.ledger.check()->mismatches()[0].offset == 699);
  CHECK(b.ledger.written().size() == 2100);
}

TEST_CASE("RC: wrong immediates, wrong lengths and missing messages are counted", "[rdma-sink]") {
  Bench b(counting(64, roce::Transport::kRc, {ImmediateRule::Kind::kValue, 5}), 8, true);
  for (std::uint64_t n = 0; n < 4; ++n) {
    b.write(n);
    b.ledger.on_immediate(n == 2 ? 6 : 5, n == 3 ? 63 : 64);
  }
  b.ledger.finish(6);
  CHECK(b.ledger.wrong_immediates() == 1);
  REQUIRE(b.ledger.first_wrong_immediate());
  CHECK(b.ledger.first_wrong_immediate()->message == 2);
  CHECK(b.ledger.first_wrong_immediate()->got == 6);
  CHECK(b.ledger.first_wrong_immediate()->want == 5);
  CHECK(b.ledger.wrong_lengths() == 1);
  CHECK(b.ledger.missing() == 2);
}

TEST_CASE("UC with counting immediates: missing messages are known by number", "[rdma-sink]") {
  Bench b(counting(100, roce::Transport::kUc, {ImmediateRule::Kind::kCounter, 0}), 4, false);
  for (const std::uint64_t n : {0U, 1U, 4U, 5U, 7U}) {
    b.write(n);
    CHECK(b.ledger.on_immediate(static_cast<std::uint32_t>(n), 100) == n);
  }
  b.ledger.finish(10);
  CHECK(b.ledger.messages() == 5);
  CHECK(b.ledger.missing() == 5);
  using Range = roce::MessageMap::Range;
  const auto ranges = b.ledger.map().ranges();
  CHECK(std::vector<Range>(ranges.begin(), ranges.end()) == std::vector<Range>{{2, 3}, {6, 6}, {8, 9}});
  // Slots 0, 1 and 3 contain messages 4, 5 and 7. No message was written to slot 2, so it is not checked.
  CHECK(b.ledger.check()->checked() == 300);
  CHECK(b.ledger.check()->wrong() == 0);
}

TEST_CASE("UC: a corrupt immediate does not create a distant message", "[rdma-sink]") {
  Bench b(counting(100, roce::Transport::kUc, {ImmediateRule::Kind::kCounter, 0}), 4, false);
  b.write(0);
  CHECK(b.ledger.on_immediate(0x70000000, 100) == 0);
  b.ledger.finish(1);
  CHECK(b.ledger.wrong_immediates() == 1);
  CHECK(b.ledger.missing() == 0);
}

TEST_CASE("without immediates the memory shows what arrived", "[rdma-sink]") {
  Bench b(counting(300, roce::Transport::kRc, kNoImmediate), 5, false);
  for (const std::uint64_t n : {0U, 1U, 3U, 5U})
    b.write(n);  // messages 2, 4 and 6 are not written, so slot 1 keeps message 1
  b.ledger.finish(7);
  CHECK(b.ledger.untouched_slots() == std::vector<std::uint64_t>{2, 4});
  CHECK(b.ledger.missing() == 2);
  CHECK(b.ledger.messages() == 5);
  CHECK(b.ledger.bytes() == 1500);
  CHECK(b.ledger.check()->checked() == 900);
  CHECK(b.ledger.check()->wrong() == 300);  // slot 1 contains message 1 instead of message 6
}

TEST_CASE("a file's last message is short", "[rdma-sink]") {
  Hello hello = counting(1000, roce::Transport::kRc, kNoImmediate);
  hello.payload.kind = board::PayloadKind::kFile;
  hello.payload.file_size = 2500;
  Bench b(hello, 4, false);
  for (std::uint64_t n = 0; n < 3; ++n) b.write(n, n == 2 ? 500 : 1000);
  b.ledger.finish(3);
  CHECK(b.ledger.bytes() == 2500);
  CHECK(b.ledger.missing() == 0);
  CHECK(b.ledger.written().size() == 2500);
  CHECK(b.ledger.check() == nullptr);
}

TEST_CASE("messages without payload, and none at all", "[rdma-sink]") {
  Bench empty(counting(0, roce::Transport::kRc, kCounter), 1, false);
  empty.ledger.on_immediate(0xfffffffe, 0);
  empty.ledger.on_immediate(0xffffffff, 0);
  empty.ledger.finish(2);
  CHECK(empty.ledger.messages() == 2);
  CHECK(empty.ledger.missing() == 0);
  CHECK(empty.ledger.written().empty());

  Bench none(counting(10, roce::Transport::kRc, kNoImmediate), 2, false);
  none.ledger.finish(0);
  CHECK(none.ledger.messages() == 0);
  CHECK(none.ledger.written().empty());
}

TEST_CASE("a counter that started earlier: the first byte gives its offset", "[rdma-sink]") {
  for (const bool live : {true, false}) {
    INFO(live);
    Hello hello = counting(700, roce::Transport::kRc, kCounter);
    hello.payload.any_origin = true;
    Bench b(hello, live ? 3 : 10, live);
    CHECK_FALSE(b.ledger.origin());
    for (std::uint64_t n = 0; n < 10; ++n) {
      b.write(n);
      for (std::size_t i = 0; i < 700; ++i) b.memory[n % b.ledger.slots() * 700 + i] += 77;
      if (n == 4) b.memory[n % b.ledger.slots() * 700 + 1] ^= 1;
      b.ledger.on_immediate(static_cast<std::uint32_t>(0xfffffffe + n), 700);
    }
    b.ledger.finish(std::nullopt);
    CHECK(b.ledger.origin() == 77);
    CHECK(b.ledger.check()->checked() == 7000);
    CHECK(b.ledger.check()->wrong() == 1);
    CHECK(b.ledger.missing() == 0);
  }
}
