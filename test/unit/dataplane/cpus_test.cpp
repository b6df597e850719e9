// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/cpus.hpp"

#include "base/rng.hpp"
#include "dataplane/error.hpp"
#include "dataplane/run_clock.hpp"

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::dataplane;

TEST_CASE("cycles convert to picoseconds exactly and monotonically", "[dataplane][clock]") {
  CHECK(TscClock(2'000'000'000).time(3) == 1500);
  CHECK(TscClock(2'000'000'000, 100).time(99) == 0);
  Rng rng(4);
  for (const std::uint64_t hz :
       {1'000'000ULL, 25'000'000ULL, 1'999'999'999ULL, 2'399'998'137ULL, 5'000'000'000ULL}) {
    const TscClock clock(hz, 12345);
    Time last = 0;
    for (int i = 0; i < 10'000; ++i) {
      const std::uint64_t cycles = rng.below(hz * 86'400 * 30);  // up to a month
      const auto exact = static_cast<Time>(static_cast<Uint128>(cycles) * kSecond / hz);
      const Time t = clock.time(12345 + cycles);
      REQUIRE(t >= exact);
      REQUIRE(t - exact <= 1);
      const std::uint64_t back = clock.tsc(t);
      REQUIRE(clock.time(back) >= t);
      REQUIRE(clock.time(back - 2) < t);
    }
    for (std::uint64_t cycles = 0; cycles < 10'000; ++cycles) {
      const Time t = clock.time(12345 + cycles);
      REQUIRE(t >= last);
      last = t;
    }
  }
}

TEST_CASE("this machine's counter runs forward", "[dataplane][clock]") {
  const TscClock clock = start_clock();
  CHECK(clock.hz() > 1'000'000);
  CHECK(clock.time(clock.tsc(kSecond)) - kSecond < 1'000'000);
}

TEST_CASE("lcores are placed on CPUs", "[dataplane][cpus]") {
  const auto cpus_of = [](const std::vector<LcoreSpec>& lcores) {
    std::vector<unsigned> out;
    for (const auto& l : lcores) out.push_back(*l.cpu);
    return out;
  };
  CHECK(cpus_of(place_lcores(2, {}, {0, 1, 2, 3})) == std::vector<unsigned>{0, 1, 2});
  CHECK(cpus_of(place_lcores(2, {}, {4, 6})) == std::vector<unsigned>{4, 6, 4});
  CHECK(cpus_of(place_lcores(2, {6, 4}, {4, 6})) == std::vector<unsigned>{4, 6, 4});
  CHECK(cpus_of(place_lcores(2, {}, {3})) == std::vector<unsigned>{3, 3, 3});
  CHECK(shares_cpus(place_lcores(2, {}, {4, 6})));
  CHECK_FALSE(shares_cpus(place_lcores(1, {}, {4, 6})));
  CHECK_THROWS_WITH(place_lcores(1, {9}, {0, 1}), Catch::Contains("CPU 9"));
  CHECK_FALSE(usable_cpus().empty());
}

namespace {
/// Returns the NUMA node of a CPU: CPUs 0 to 3 are on node 0, and all others on node 1.
int two_nodes(unsigned cpu) { return cpu < 4 ? 0 : 1; }
}  // namespace

TEST_CASE("workers are placed on their ports' nodes while CPUs are left", "[dataplane][cpus]") {
  const auto placed = [](unsigned workers, const std::vector<int>& nodes) {
    std::vector<unsigned> out;
    for (const auto& l : place_lcores(workers, {}, {0, 1, 2, 3, 4, 5}, nodes, two_nodes))
      out.push_back(*l.cpu);
    return out;
  };
  CHECK(placed(2, {1, 1}) == std::vector<unsigned>{0, 4, 5});
  CHECK(placed(3, {1, 0, -1}) == std::vector<unsigned>{0, 4, 1, 2});
  CHECK(placed(4, {1, 1, 1, -1}) == std::vector<unsigned>{0, 4, 5, 1, 2});
  CHECK(placed(7, {}) == std::vector<unsigned>{0, 1, 2, 3, 4, 5, 0, 1});
}

TEST_CASE("a worker on another node than its port is reported", "[dataplane][cpus]") {
  const auto far = far_ports({{1, 1, {{"near", 0, 0}, {"far", 0, 1}, {"nowhere", 0, -1}}, ""}}, two_nodes);
  REQUIRE(far.size() == 1);
  CHECK(far[0].port == "far");
  CHECK(far[0].found.find("on NUMA node 1, polled by CPU 1 on node 0") == 0);
  CHECK(far[0].fix.find("CPUs of node 1") != std::string::npos);
}

TEST_CASE("the kernel determines the node of a device", "[dataplane][cpus]") {
  const auto root = std::filesystem::temp_directory_path() / "softfeb_numa_test";
  const auto pci = root / "sys/bus/pci/devices/0000:3b:00.0";
  std::filesystem::create_directories(pci);
  std::ofstream(pci / "numa_node") << "1\n";
  CHECK(device_node(parse_device("0000:3b:00.0"), root.string()) == 1);
  CHECK(device_node(parse_device("0000:3b:00.1"), root.string()) == -1);
  CHECK(device_node(parse_device("net_null"), root.string()) == -1);
  const auto node = root / "sys/devices/system/node/node1";
  std::filesystem::create_directories(node);
  std::ofstream(node / "cpulist") << "8-15\n";
  CHECK(node_cpus(1, root.string()) == "8-15");
  std::filesystem::remove_all(root);
  CHECK(common_node({-1, 1, 1}) == 1);
  CHECK(common_node({0, 1}) == -1);
  CHECK(common_node({}) == -1);
}

TEST_CASE("the worker map names port, queue and CPU", "[dataplane][cpus]") {
  const std::string map = worker_map({{1, 0, {{"p0", 0, -1}, {"p1", 3, -1}}, "feb0 feb1"}});
  CHECK(map.find("p0:0 p1:3") != map.npos);
  CHECK(map.find("feb0 feb1") != map.npos);
}
