// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/int_record.hpp"

#include "base/rng.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::congestion;

TEST_CASE("INT records round to their units, wrap and saturate", "[congestion][int]") {
  const IntRecord r =
      IntRecord::of(12'500'000'000, (0x1000000 + 5) * kNanosecond + 999, (0x100000 + 7) * 128ULL + 127, 159);
  CHECK(r == IntRecord{7, 5, 7, 1});
  CHECK(r.rate() == 12'500'000'000);
  CHECK(r.queue_bytes() == 80);
  CHECK(IntRecord::of(1, 0, 0, UINT64_MAX) == IntRecord{IntRecord::kUnknownRate, 0, 0, 0xffff});
  for (std::size_t i = 0; i < kIntRates.size(); ++i) {
    const IntRecord known = IntRecord::of(kIntRates[i], 0, 0, 0);
    CHECK(known.rate_code == i);
    CHECK(known.rate() == kIntRates[i]);
  }
  for (std::uint8_t code = 12; code < 16; ++code) CHECK(IntRecord{code, 0, 0, 0}.rate() == 0);
  Rng rng(4);
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t word = rng.next();
    CHECK(IntRecord::unpack(word).pack() == word);
  }
}

TEST_CASE("differences of INT records are signed and wrap", "[congestion][int]") {
  const IntRecord before{3, 0xffffff, 0xfffff, 0};
  const IntRecord after{3, 9, 1, 0};
  CHECK(after.elapsed_since(before) == 10'000);
  CHECK(before.elapsed_since(after) == -10'000);
  CHECK(after.sent_since(before) == 256);
  CHECK(before.sent_since(after) == -256);
  CHECK(after.elapsed_since(after) == 0);
  CHECK(wrapped_difference(0x80000, 0, 20) == -0x80000);
  CHECK(wrapped_difference(0x7ffff, 0, 20) == 0x7ffff);
  CHECK(wrapped_difference(0, 1, 32) == -1);
}

TEST_CASE("differences of counters survive a wrap", "[congestion][int]") {
  constexpr unsigned kBits = IntRecord::kTimeBits;
  const std::uint32_t range = std::uint32_t{1} << kBits;
  for (const std::uint32_t from : {std::uint32_t{0}, range - 1, range / 2, range + 5}) {
    CHECK(wrapped_difference(from, from, kBits) == 0);
    CHECK(wrapped_difference(from + 7, from, kBits) == 7);
    CHECK(wrapped_difference((from + 7) % range, from % range, kBits) == 7);
    CHECK(wrapped_difference(from % range, (from + 7) % range, kBits) == -7);
    CHECK(wrapped_difference(from + range / 2 - 1, from, kBits) == std::int64_t{range / 2} - 1);
    CHECK(wrapped_difference(from + range / 2, from, kBits) == -std::int64_t{range / 2});
  }
}
