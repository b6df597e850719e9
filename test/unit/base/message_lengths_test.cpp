// SPDX-License-Identifier: BSD-3-Clause
#include "base/message_lengths.hpp"

#include "base/published_cdfs.hpp"

#include <cmath>

#include <catch2/catch.hpp>

using namespace softfeb;

namespace {

double mean_of(const Cdf& cdf, std::uint64_t seed, std::uint64_t draws) {
  const MessageLengths lengths{&cdf, seed};
  double sum = 0;
  for (std::uint64_t n = 0; n < draws; ++n) sum += lengths.at(n);
  return sum / static_cast<double>(draws);
}

}  // namespace

TEST_CASE("random access gives the generator's sequence", "[message_lengths]") {
  Rng rng(99);
  for (std::uint64_t n = 0; n < 100; ++n) CHECK(Rng::nth(99, n) == rng.next());
  const Cdf cdf = hadoop_cdf();
  Rng other(7);
  for (std::uint64_t n = 0; n < 100; ++n) CHECK(MessageLengths{&cdf, 7}.at(n) == cdf.sample(other));
}

TEST_CASE("drawn lengths have the mean of their distribution", "[message_lengths]") {
  CHECK(mean_of(web_search_cdf(), 1, 1'000'000) == Approx(1'711'250).epsilon(0.01));
  CHECK(mean_of(hadoop_cdf(), 1, 1'000'000) == Approx(120'420.75).epsilon(0.01));
}

TEST_CASE("drawn lengths follow the points of their distribution", "[message_lengths]") {
  const Cdf cdf = hadoop_cdf();
  const MessageLengths lengths{&cdf, 5};
  constexpr std::uint64_t kDraws = 200'000;
  for (const Cdf::Point& p : cdf.points()) {
    std::uint64_t within = 0;
    for (std::uint64_t n = 0; n < kDraws; ++n) within += lengths.at(n) <= p.bytes ? 1 : 0;
    CHECK(std::abs(static_cast<double>(within) / kDraws - p.probability) < 0.004);
  }
}
