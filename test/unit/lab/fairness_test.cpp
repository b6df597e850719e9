// SPDX-License-Identifier: BSD-3-Clause
#include "lab/fairness.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb::lab;

using Bytes = std::vector<std::uint64_t>;

TEST_CASE("Jain's index is 1 for equal shares and 1/n if one has everything", "[lab]") {
  CHECK(jain_index(Bytes{7, 7, 7}) == kWhole);
  CHECK(jain_index(Bytes{9, 0, 0, 0}) == kWhole / 4);
  CHECK(jain_index(Bytes{1, 2, 3}) == 857'142'857);  // the index is 36 / (3 · 14)
  CHECK(jain_index(Bytes{0, 0}) == 0);
  CHECK_FALSE(jain_index(Bytes{5}));
  CHECK_FALSE(jain_index(Bytes{}));
}

TEST_CASE("Jain's index of very many bytes does not overflow", "[lab]") {
  const Bytes x(143, std::uint64_t{1} << 40);
  CHECK(jain_index(x) == kWhole);
}

TEST_CASE("fair shares: unused parts of an equal share go to the others", "[lab]") {
  CHECK(fair_shares(90, Bytes{100, 100, 100}) == Bytes{30, 30, 30});
  CHECK(fair_shares(90, Bytes{100, 10, 100}) == Bytes{40, 10, 40});
  CHECK(fair_shares(90, Bytes{10, 20, 30}) == Bytes{10, 20, 30});
  CHECK(fair_shares(90, Bytes{}) == Bytes{});
}

TEST_CASE("a share of nothing is undefined", "[lab]") {
  CHECK(share_of(1, 4) == kWhole / 4);
  CHECK(share_of(0, 0) == 0);
  CHECK(share_of(UINT64_MAX / 2, UINT64_MAX / 2) == kWhole);
}
