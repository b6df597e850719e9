// SPDX-License-Identifier: BSD-3-Clause
#include "base/cdf.hpp"

#include "base/published_cdfs.hpp"

#include <limits>

#include <catch2/catch.hpp>

using namespace softfeb;

namespace {

std::vector<std::uint64_t> lengths(const Cdf& cdf, std::initializer_list<double> probabilities) {
  std::vector<std::uint64_t> out;
  for (const double u : probabilities) out.push_back(cdf.at(u));
  return out;
}

}  // namespace

TEST_CASE("published distributions have their means", "[cdf]") {
  CHECK(web_search_cdf().mean() == Approx(1'711'250));
  CHECK(hadoop_cdf().mean() == Approx(120'420.75));
}

TEST_CASE("lengths at given probabilities are those of the reference model", "[cdf]") {
  using Lengths = std::vector<std::uint64_t>;
  CHECK(lengths(web_search_cdf(), {0, 0.01, 0.15, 0.2, 0.5, 0.55, 0.97, 0.999, 1}) ==
        Lengths{1, 667, 10'000, 20'000, 73'077, 114'286, 10'000'000, 29'333'333, 30'000'000});
  CHECK(lengths(hadoop_cdf(), {0, 0.01, 0.15, 0.2, 0.5, 0.55, 0.97, 0.999, 1}) ==
        Lengths{1, 100, 350, 400, 700, 850, 860'000, 9'200'000, 10'000'000});
  // Values halfway between two integers are rounded to the even one.
  const Cdf ties({{0, 0.0}, {2, 0.5}, {8, 1.0}});
  CHECK(lengths(ties, {0.125, 0.375, 0.625, 0.875}) == Lengths{1, 2, 4, 6});
  CHECK(Cdf({{0, 0.0}, {5, 1.0}}).at(0.5) == 2);
}

TEST_CASE("the mean of many samples is that of the distribution", "[cdf]") {
  for (const Cdf& cdf : {web_search_cdf(), hadoop_cdf()}) {
    Rng rng(11);
    constexpr int kSamples = 400'000;
    double sum = 0;
    for (int i = 0; i < kSamples; ++i) sum += static_cast<double>(cdf.sample(rng));
    CHECK(sum / kSamples == Approx(cdf.mean()).epsilon(0.02));
  }
}

TEST_CASE("lengths that occur exactly", "[cdf]") {
  const Cdf one({{777, 1.0}});
  for (const double u : {0.0, 0.3, 1.0}) CHECK(one.at(u) == 777);
  CHECK(one.mean() == 777);
  const Cdf two({{100, 0.25}, {900, 0.25}, {900, 1.0}});
  CHECK(two.at(0) == 100);
  CHECK(two.at(0.25) == 100);
  CHECK(two.at(0.26) == 900);
  CHECK(two.mean() == Approx(700));
  CHECK(Cdf({{0, 1.0}}).at(0.5) == 1);
}

TEST_CASE("impossible distributions are refused", "[cdf]") {
  const auto refused = [](std::vector<Cdf::Point> points, const char* wanted) {
    CHECK_THROWS_WITH(Cdf(std::move(points)), wanted);
  };
  refused({}, "no points");
  refused({{0, 0}, {9, 0.5}}, "the last probability is not 1");
  refused({{0, 0}, {9, 1.5}}, "point 2: the probability is not within 0…1");
  refused({{0, -0.1}, {9, 1}}, "point 1: the probability is not within 0…1");
  refused({{0, std::numeric_limits<double>::quiet_NaN()}}, "point 1: the probability is not within 0…1");
  refused({{9, 0}, {8, 1}}, "point 2: the length is below the previous one");
  refused({{0, 0.5}, {9, 0.4}, {10, 1}}, "point 2: the probability is below the previous one");
  refused({{0, 0}, {Cdf::kMaxBytes + 1, 1}}, "point 2: the length exceeds 2 GiB");
}
