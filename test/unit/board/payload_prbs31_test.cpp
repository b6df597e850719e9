// SPDX-License-Identifier: BSD-3-Clause
#include "board/payload_prbs31.hpp"

#include "support/payload_check.hpp"

#include <array>
#include <cstring>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::board;
using softfeb::test::check_every_packet;
using softfeb::test::FilledPayload;

namespace {

/// Returns bit n of a byte string; the least significant bit of each byte comes first.
unsigned bit(const std::vector<std::uint8_t>& bytes, std::size_t n) { return (bytes[n / 8] >> (n % 8)) & 1U; }

std::vector<std::uint8_t> sequence(std::uint32_t seed, std::size_t size) {
  std::vector<std::uint8_t> out(size);
  Prbs31(seed).fill(out);
  return out;
}

}  // namespace

TEST_CASE("PRBS-31: every bit is the sum of the 28th and the 31st bit before it", "[prbs31]") {
  const std::uint32_t seed = GENERATE(1U, 0x7fff'ffffU, 0x1234'5678U);
  const auto bytes = sequence(seed, 100'001);
  std::size_t wrong = 0;
  for (std::size_t n = 0; n < bytes.size() * 8; ++n) {
    const auto before = [&](std::size_t d) {
      return n >= d ? bit(bytes, n - d) : (seed >> (31 + n - d)) & 1U;
    };
    wrong += bit(bytes, n) != (before(28) ^ before(31));
  }
  CHECK(wrong == 0);
}

TEST_CASE("PRBS-31: the all-ones register gives 28 zeros, then three ones", "[prbs31]") {
  const auto bytes = sequence(0x7fff'ffff, 4);
  CHECK(bytes == std::vector<std::uint8_t>{0, 0, 0, 0x70});
}

TEST_CASE("PRBS-31: m-sequence properties of a long section", "[prbs31]") {
  const auto bytes = sequence(0x2bad'cafe, 4U << 20);
  std::size_t ones = 0, run = 0, longest = 0;
  for (std::size_t n = 0; n < bytes.size() * 8; ++n) {
    ones += bit(bytes, n);
    run = n > 0 && bit(bytes, n) == bit(bytes, n - 1) ? run + 1 : 1;
    longest = std::max(longest, run);
  }
  const double share = static_cast<double>(ones) / static_cast<double>(bytes.size() * 8);
  CHECK(share == Approx(0.5).margin(0.001));  // for fair bits, the standard deviation is 0.00009
  CHECK(longest <= 31);                       // PRBS-31 contains no longer run of equal bits
  CHECK(longest >= 15);
}

TEST_CASE("PRBS-31: the period is 2^31 - 1", "[prbs31]") {
  // Square the step matrix 31 times over GF(2). If step^(2^31) equals step, the period divides 2^31 - 1. This
  // number is prime, so the period is either 2^31 - 1 or 1.
  using Matrix = std::array<std::uint32_t, 31>;  // column i is the result of a step if only bit i is set
  const auto step = [](std::uint32_t h) { return (h >> 1) | (((h ^ (h >> 3)) & 1U) << 30); };
  const auto apply = [](const Matrix& m, std::uint32_t v) {
    std::uint32_t out = 0;
    for (unsigned i = 0; i < 31; ++i) out ^= (v >> i & 1U) != 0 ? m[i] : 0;
    return out;
  };
  Matrix one{};
  for (unsigned i = 0; i < 31; ++i) one[i] = step(1U << i);
  Matrix power = one;
  for (int k = 0; k < 31; ++k) {
    Matrix squared{};
    for (unsigned i = 0; i < 31; ++i) squared[i] = apply(power, power[i]);
    power = squared;
  }
  CHECK(power == one);

  // The generator must perform the same step as step(): bit 30 of the register after step n is bit n of the
  // sequence.
  const auto bytes = sequence(0x4711, 300);
  std::uint32_t h = 0x4711;
  for (std::size_t n = 0; n < bytes.size() * 8; ++n) {
    h = step(h);
    REQUIRE(bit(bytes, n) == (h >> 30));
  }
}

TEST_CASE("prbs31: a window of whole messages that continues across messages", "[prbs31]") {
  FilledPayload filled(
      {.kind = PayloadKind::kPrbs31, .message_length = 9000, .pmtu = 4096, .seed = 77, .window = 100'000});
  CHECK(filled.source->arena_bytes() == 99'000);
  const auto expected = sequence(77, 99'000);
  std::vector<std::uint8_t> sent;
  for (std::uint64_t n = 0; n < 11; ++n) {
    const auto message = check_every_packet(*filled.source, n, 4096);
    sent.insert(sent.end(), message.begin(), message.end());
  }
  CHECK(sent == expected);
  CHECK(filled.source->bytes(99'000, 9000) == filled.source->bytes(0, 9000));
}

TEST_CASE("prbs31: the default window is 16 MiB rounded down to whole messages", "[prbs31]") {
  CHECK(make_payload({.kind = PayloadKind::kPrbs31, .message_length = 9000})->arena_bytes() ==
        (16U << 20) / 9000 * 9000);
  CHECK(make_payload({.kind = PayloadKind::kPrbs31, .message_length = 1U << 24})->arena_bytes() == 16U << 20);
}

TEST_CASE("prbs31: a message longer than the window repeats it in whole packets", "[prbs31]") {
  const std::uint32_t length = 50'001;
  FilledPayload filled(
      {.kind = PayloadKind::kPrbs31, .message_length = length, .pmtu = 1024, .seed = 5, .window = 10'000});
  CHECK(filled.source->arena_bytes() == 9 * 1024);
  const auto window = sequence(5, 9 * 1024);
  for (std::uint64_t n = 0; n < 3; ++n) {
    const auto message = check_every_packet(*filled.source, n, 1024);
    REQUIRE(message.size() == length);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < length; ++i) wrong += message[i] != window[i % window.size()];
    CHECK(wrong == 0);
  }
}

TEST_CASE("prbs31: empty and one-packet messages, prepared CRCs", "[prbs31]") {
  const std::uint32_t length = GENERATE(0U, 1U, 255U, 256U, 257U, 4096U);
  const std::uint32_t pmtu = GENERATE(256U, 4096U);
  FilledPayload filled(
      PayloadSpec{.kind = PayloadKind::kPrbs31, .message_length = length, .pmtu = pmtu, .window = 1U << 16});
  for (std::uint64_t n = 0; n < 600; ++n) CHECK(check_every_packet(*filled.source, n, pmtu).size() == length);
}

TEST_CASE("prbs31: no CRC and no bytes across the end of the window", "[prbs31]") {
  FilledPayload filled(
      PayloadSpec{.kind = PayloadKind::kPrbs31, .message_length = 1000, .pmtu = 256, .window = 4096});
  CHECK(filled.source->arena_bytes() == 4000);
  CHECK(filled.source->bytes(3990, 10) != nullptr);
  CHECK(filled.source->bytes(3990, 11) == nullptr);
  CHECK_FALSE(filled.source->crc(3, 256).has_value());
}
