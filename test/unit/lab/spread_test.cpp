// SPDX-License-Identifier: BSD-3-Clause
#include "lab/spread.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::lab;

namespace {

fabric::NextHopSnapshot hop(std::uint32_t set, std::uint64_t bytes) { return {0, set, 0, 0, 1, bytes}; }

}  // namespace

TEST_CASE("the spread over equal-cost ports", "[lab]") {
  fabric::NetworkSnapshot network;
  CHECK(spreads_of(network).empty());
  network.next_hops = {hop(2, 3000), hop(2, 1000), hop(5, 0),    hop(5, 0),
                       hop(6, 10),   hop(6, 0),    hop(7, 5000), hop(7, 5000)};
  const auto spreads = spreads_of(network);
  REQUIRE(spreads.size() == 4);
  CHECK(spreads[0].ports.size() == 2);
  CHECK(spreads[0].wire_bytes == 4000);
  CHECK(spreads[0].max_mean == kWhole * 3 / 2);
  CHECK(spreads[0].jain == kWhole * 8 / 10);  // the index of 3 and 1 is 16 / (2 · 10)
  CHECK_FALSE(spreads[1].jain);
  CHECK_FALSE(spreads[1].max_mean);
  CHECK(spreads[2].jain == kWhole / 2);
  CHECK(spreads[3].jain == kWhole);
  // The third set is the least even one, but it carried so few bytes that it does not count.
  CHECK(worst_spread(spreads) == &spreads[0]);
  CHECK(worst_spread({}) == nullptr);
}

TEST_CASE("the spread of very many bytes", "[lab]") {
  fabric::NetworkSnapshot network;
  network.next_hops = {hop(0, std::uint64_t{3} << 60), hop(0, std::uint64_t{1} << 60)};
  const auto spreads = spreads_of(network);
  CHECK(spreads[0].jain == kWhole * 8 / 10);
  CHECK(spreads[0].max_mean == kWhole * 3 / 2);
}
