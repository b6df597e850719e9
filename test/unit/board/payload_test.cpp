// SPDX-License-Identifier: BSD-3-Clause
#include "board/payload.hpp"

#include "base/rng.hpp"
#include "board/packet_crc.hpp"
#include "roce/icrc.hpp"
#include "support/payload_check.hpp"

#include <array>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::board;
using softfeb::test::check_every_packet;
using softfeb::test::FilledPayload;

TEST_CASE("message plan: an endless source", "[payload]") {
  const MessagePlan plan = MessagePlan::endless(9000);
  CHECK(plan.messages_per_pass() == 0);
  CHECK(plan.at(0) == MessageSlice{0, 9000});
  CHECK(plan.at(1'000'000'007) == MessageSlice{9'000'000'063'000, 9000});
  CHECK(MessagePlan::endless(0).at(5) == MessageSlice{0, 0});
}

TEST_CASE("message plan: a pass ends with a shorter message in a full slot", "[payload]") {
  const MessagePlan plan = MessagePlan::of(2500, 1000);
  CHECK(plan.messages_per_pass() == 3);
  CHECK(plan.at(1) == MessageSlice{1000, 1000});
  CHECK(plan.at(2) == MessageSlice{2000, 500});
  CHECK(plan.at(3) == MessageSlice{3000, 1000});
  CHECK(plan.at(5) == MessageSlice{5000, 500});
}

TEST_CASE("message plan: exact multiple, and a message longer than the source", "[payload]") {
  CHECK(MessagePlan::of(3000, 1000).messages_per_pass() == 3);
  CHECK(MessagePlan::of(3000, 1000).at(2) == MessageSlice{2000, 1000});
  CHECK(MessagePlan::of(7, 1000).messages_per_pass() == 1);
  CHECK(MessagePlan::of(7, 1000).at(1) == MessageSlice{1000, 7});
}

TEST_CASE("counter: byte k of the stream is k mod 256", "[payload]") {
  FilledPayload filled(PayloadSpec{.kind = PayloadKind::kCounter, .message_length = 9000});
  Rng rng(2);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t offset = rng.next();
    const auto length = static_cast<std::uint32_t>(rng.below(4097));
    const std::uint8_t* bytes = filled.source->bytes(offset, length);
    REQUIRE(bytes != nullptr);
    bool right = true;
    for (std::uint32_t k = 0; k < length; ++k) right &= bytes[k] == ((offset + k) & 0xff);
    REQUIRE(right);
  }
}

TEST_CASE("test pattern: full packets of every path MTU have prepared CRCs", "[payload]") {
  const auto source = make_test_pattern();
  std::vector<std::uint8_t> arena(source->arena_bytes());
  source->fill(arena);
  for (const std::uint32_t length : {256U, 512U, 1024U, 2048U, 4096U}) {
    for (std::uint64_t offset = 0; offset < 300; ++offset) {
      const std::uint8_t* bytes = source->bytes(offset, length);
      REQUIRE(bytes[0] == offset % 256);
      REQUIRE(source->crc(offset, length) == packet_crc(ByteSpan(bytes, length)));
    }
  }
  CHECK_FALSE(source->crc(0, 1000));
  REQUIRE(source->bytes(1000, 1000) != nullptr);
  CHECK(source->bytes(1000, 1000)[999] == (1999 & 0xff));
}

TEST_CASE("zero: zeros, and a prepared CRC for every length", "[payload]") {
  FilledPayload filled(PayloadSpec{.kind = PayloadKind::kZero, .message_length = 9000});
  const std::vector<std::uint8_t> zeros(4096);
  for (std::uint32_t length = 0; length <= 4096; ++length) {
    REQUIRE(filled.source->bytes(length * 77U, length) != nullptr);
    CHECK(filled.source->crc(length * 77U, length) ==
          roce::crc32(0, ByteSpan(zeros).first((length + 3) & ~3U)));
  }
  CHECK(std::equal(zeros.begin(), zeros.end(), filled.source->bytes(0, 4096)));
}

TEST_CASE("counter and zero: prepared CRCs equal direct ones", "[payload]") {
  const auto kind = GENERATE(PayloadKind::kCounter, PayloadKind::kZero);
  const std::uint32_t pmtu = GENERATE(256U, 1024U, 4096U);
  const std::uint32_t length = GENERATE(0U, 1U, 255U, 4096U, 9000U, 12289U);
  FilledPayload filled(PayloadSpec{.kind = kind, .message_length = length, .pmtu = pmtu});
  for (std::uint64_t n = 0; n < 300; ++n) check_every_packet(*filled.source, n, pmtu);
}

TEST_CASE("counter: no CRC for lengths that were not prepared", "[payload]") {
  FilledPayload filled(PayloadSpec{.kind = PayloadKind::kCounter, .message_length = 9000, .pmtu = 4096});
  CHECK(filled.source->crc(0, 4096).has_value());
  CHECK(filled.source->crc(0, 9000 - 8192).has_value());
  CHECK_FALSE(filled.source->crc(0, 100).has_value());
}

TEST_CASE("no payload before fill()", "[payload]") {
  const auto kind = GENERATE(PayloadKind::kCounter, PayloadKind::kZero, PayloadKind::kPrbs31);
  const auto source = make_payload({.kind = kind, .message_length = 100});
  CHECK(source->bytes(0, 1) == nullptr);
  CHECK_FALSE(source->crc(0, 100).has_value());
}

TEST_CASE("a payload longer than a packet is refused", "[payload]") {
  const auto kind = GENERATE(PayloadKind::kCounter, PayloadKind::kZero);
  FilledPayload filled(PayloadSpec{.kind = kind, .message_length = 9000});
  CHECK(filled.source->bytes(0, 4097) == nullptr);
}

TEST_CASE("an arena that is too small is refused and stays unchanged", "[payload]") {
  const auto source = make_payload({.kind = PayloadKind::kCounter, .message_length = 100});
  std::vector<std::uint8_t> arena(source->arena_bytes() - 1, 0xee);
  CHECK_THROWS_WITH(source->fill(arena), Catch::Contains("arena of 4351 bytes, 4352 needed"));
  CHECK(arena == std::vector<std::uint8_t>(arena.size(), 0xee));
}

TEST_CASE("contradictory specifications are refused with the fix", "[payload]") {
  CHECK_THROWS_WITH(make_payload({.message_length = 0x8000'0001}), Catch::Contains("at most 2 GiB"));
  CHECK_NOTHROW(make_payload({.message_length = 0x8000'0000}));
  CHECK_THROWS_WITH(make_payload({.message_length = 1, .pmtu = 1500}),
                    Catch::Contains("1500") && Catch::Contains("256, 512"));
  CHECK_THROWS_WITH(make_payload({.kind = PayloadKind::kPrbs31, .message_length = 1, .seed = 0}),
                    Catch::Contains("seed 0"));
  CHECK_THROWS_WITH(make_payload({.kind = PayloadKind::kPrbs31, .message_length = 1, .seed = 0x8000'0000}),
                    Catch::Contains("1 to 2147483647"));
  CHECK_THROWS_WITH(make_payload({.kind = PayloadKind::kPrbs31, .message_length = 1, .window = 4095}),
                    Catch::Contains("at least 4096"));
}
