// SPDX-License-Identifier: BSD-3-Clause
#include "report/round_numbers.hpp"

#include "base/rng.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::report;

TEST_CASE("The roundest size is the multiple of the largest power of two", "[report]") {
  CHECK(roundest_size({258'541, 262'710}) == 262'144);
  CHECK(roundest_size({195'990, 200'159}) == 192 * 1024);
  CHECK(roundest_size({1'023'900, 1'024'100}) == 1000 * 1024);
  CHECK(roundest_size({0, 4'169}) == 0);
}

TEST_CASE("Without a multiple of 1 KiB, the roundest size is decimal", "[report]") {
  CHECK(roundest_size({99'900, 100'100}) == 100'000);
  CHECK(roundest_size({1'500, 1'503}) == 1'500);
  CHECK(roundest_size({9'001, 9'001}) == 9'001);
}

TEST_CASE("The roundest decimal number has the fewest digits", "[report]") {
  CHECK(roundest_decimal({7'949, 8'033}) == 8'000);
  CHECK(roundest_decimal({49'371, 50'208}) == 50'000);
  CHECK(roundest_decimal({2'400, 2'600}) == 2'500);
  CHECK(roundest_decimal({21, 24}) == 22);
  CHECK(roundest_decimal({7, 7}) == 7);
}

TEST_CASE("The roundest binary number may be odd", "[report]") {
  CHECK(roundest_binary({254, 258}) == 256);
  CHECK(roundest_binary({257, 257}) == 257);
}

TEST_CASE("Round numbers are in their range", "[report]") {
  Rng random(5);
  for (int i = 0; i < 2'000; ++i) {
    const std::uint64_t low = random.below(std::uint64_t{1} << random.below(50));
    const WholeRange range{low, low + random.below(std::uint64_t{1} << random.below(30))};
    for (const std::uint64_t n : {roundest_size(range), roundest_decimal(range), roundest_binary(range)})
      REQUIRE(range.contains(n));
  }
}

TEST_CASE("Errors of decimal fractions do not move the bounds of a range", "[report]") {
  const WholeRange exact = whole_range(999'999.999'999'999, 1'000'000.000'000'1);
  CHECK(exact.low == 1'000'000);
  CHECK(exact.high == 1'000'000);
  const WholeRange none = whole_range(3.2, 3.4);
  CHECK(none.low == 3);
  CHECK(none.high == 3);
  CHECK(whole_range(-0.03, 0.03).high == 0);
}
