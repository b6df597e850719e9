// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/spanning_tree.hpp"

#include "multipath_fixture.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::test;

namespace {

constexpr roce::MacAddress kToAllStations{0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

std::vector<std::uint8_t> with_addresses(std::vector<std::uint8_t> bytes, const roce::MacAddress& to,
                                         const roce::MacAddress& from) {
  std::copy(to.begin(), to.end(), bytes.begin());
  std::copy(from.begin(), from.end(), bytes.begin() + 6);
  return bytes;
}

/// Returns a ring of `switches` switches, with one station at each.
NetworkConfig ring(std::uint32_t switches) {
  NetworkConfig config = star(switches);
  config.multipath.emplace();
  for (std::uint32_t s = 1; s < switches; ++s) config.switches.push_back(config.switches[0]);
  for (std::uint32_t s = 0; s < switches; ++s) {
    config.links[s].b = switch_(s);
    config.links.push_back(link_between(switch_(s), switch_((s + 1) % switches)));
  }
  return config;
}

}  // namespace

TEST_CASE("spanning tree: the root is the first switch, and ties go to the lowest switch and link") {
  // Links 4 to 7 are 0-1, 1-2, 2-3 and 3-0. Switch 2 is equally far from the root through switch 1 and
  // through switch 3.
  const auto tree = fabric::spanning_tree(ring(4));
  CHECK(tree == std::vector<bool>{true, true, true, true, true, true, false, true});
  NetworkConfig parallel = ring(2);
  CHECK(fabric::spanning_tree(parallel) == std::vector<bool>{true, true, true, false});
  // Links 4 and 5 connect the first leaf with spines 0 and 1; links 6 and 7 connect the second leaf. Spine 1
  // is left out, because no station is behind it.
  CHECK(fabric::spanning_tree(leaf_spine(2)) ==
        std::vector<bool>{true, true, true, true, true, false, true, false});
  const auto forest = fabric::spanning_tree(star(3));
  CHECK(std::count(forest.begin(), forest.end(), true) == 3);
}

TEST_CASE("flooding: every station gets one copy, although there are loops") {
  const NetworkConfig config = GENERATE(ring(5), leaf_spine(4));
  Bench b(config);
  for (std::uint32_t from = 0; from < config.stations.size(); ++from)
    b.send(from, with_addresses(data_bytes({from, 0, 64}), kToAllStations, mac_of(from)), 0);
  b.run(kMillisecond);
  const std::size_t others = config.stations.size() - 1;
  for (std::uint32_t at = 0; at <= others; ++at) {
    const auto got = b.at_station(at);
    REQUIRE(got.size() == others);
    for (std::uint32_t from = 0; from <= others; ++from) {
      const auto sender = mac_of(from);
      CHECK(std::count_if(got.begin(), got.end(), [&](const Bench::Arrival& a) {
              return std::equal(sender.begin(), sender.end(), a.bytes.begin() + 6);
            }) == (from == at ? 0 : 1));
    }
  }
  CHECK(b.look(kMillisecond).totals.dropped_unknown == 0);
  CHECK(b.conserved(kMillisecond));
  CHECK(b.snapshot.totals.dropped_unknown == 0);
  CHECK(b.snapshot.totals.duplicated == others * (others + 1) - (others + 1));
  CHECK(b.network.next_event() == kNever);
  CHECK(b.store.out == 0);
}

TEST_CASE("flooding: unknown addresses reach each learning station once, and are learned") {
  NetworkConfig config = leaf_spine(4);
  config.stations[1].mac.reset();
  config.stations[3].mac.reset();
  Bench b(config);
  const auto unknown = mac_of(77);
  b.send(0, with_addresses(data_bytes({0, 1}), unknown, mac_of(0)), 0);
  b.run(kMillisecond);
  CHECK(b.at_station(1).size() == 1);
  CHECK(b.at_station(3).size() == 1);
  CHECK(b.arrivals.size() == 2);
  b.send(3, with_addresses(data_bytes({3, 0}), mac_of(0), unknown), kMillisecond);
  b.run(2 * kMillisecond);
  b.send(0, with_addresses(data_bytes({0, 1}), unknown, mac_of(0)), 2 * kMillisecond);
  b.run(3 * kMillisecond);
  CHECK(b.at_station(1).size() == 1);
  CHECK(b.at_station(3).size() == 2);
  CHECK(b.look(3 * kMillisecond).next_hops.size() == 8);
  CHECK(b.conserved(3 * kMillisecond));
}
