// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/doctor.hpp"

#include "temporary_directory.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace softfeb::dataplane;

namespace {

void put(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

const Check& named(const std::vector<Check>& checks, const std::string& name) {
  const auto it = std::find_if(checks.begin(), checks.end(), [&](const Check& c) { return c.name == name; });
  REQUIRE(it != checks.end());
  return *it;
}

constexpr const char* kGoodFlags =
    "processor\t: 0\nflags\t\t: cx16 lahf_lm popcnt sse4_1 sse4_2 ssse3 pclmulqdq constant_tsc nonstop_tsc\n";

}  // namespace

TEST_CASE("a machine with problems gets findings and fixes", "[dataplane][doctor]") {
  const softfeb::test::TemporaryDirectory dir;
  put(dir.path() / "proc/cpuinfo", "flags : cx16 popcnt\n");
  put(dir.path() / "proc/self/status", "Name:\tx\nCapEff:\t0000000000001000\n");
  const auto checks = check_machine(dir.path());
  CHECK(named(checks, "cpu instructions").health == Health::kBad);
  CHECK(named(checks, "cpu instructions").found == "missing: lahf_lm sse4_1 sse4_2 ssse3");
  for (const char* name : {"carry-less multiply", "clock", "huge pages", "iommu", "nic drivers",
                           "/dev/net/tun", "isolated cpus"}) {
    CAPTURE(name);
    CHECK(named(checks, name).health == Health::kWarn);
    CHECK_FALSE(named(checks, name).fix.empty());
  }
  CHECK(named(checks, "rights").found == "missing: CAP_NET_RAW (net_af_packet)");
  CHECK(worst(checks) == Health::kBad);
}

TEST_CASE("a suitable machine gets no warnings", "[dataplane][doctor]") {
  const softfeb::test::TemporaryDirectory dir;
  const auto& root = dir.path();
  put(root / "proc/cpuinfo", kGoodFlags);
  put(root / "proc/self/status", "CapEff:\t0000000000003000\n");
  put(root / "sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "512\n");
  put(root / "sys/kernel/iommu_groups/0/type", "DMA\n");
  put(root / "sys/module/vfio_pci/version", "1\n");
  put(root / "dev/net/tun", "");
  put(root / "sys/devices/system/cpu/isolated", "2-7\n");
  put(root / "sys/bus/pci/devices/0000:3b:00.0/class", "0x020000\n");
  put(root / "sys/bus/pci/devices/0000:3b:00.0/net/eth9/mtu", "1500\n");
  put(root / "sys/bus/pci/devices/0000:00:01.0/class", "0x030000\n");
  const auto checks = check_machine(root);
  for (const Check& c : checks) {
    // Skip checks of the machine that runs the test, because `root` does not affect them.
    if (c.name == "cpus" || c.name == "locked memory") continue;
    CAPTURE(c.name, c.found);
    CHECK(c.health == Health::kOk);
    CHECK(c.fix.empty());
  }
  CHECK(named(checks, "nics").found == "0000:3b:00.0 no driver eth9");
  CHECK(named(checks, "huge pages").found == "1024 MiB free");
}

TEST_CASE("ports are probed by opening them", "[dataplane][doctor]") {
  Mempools pools;
  DeviceFactory factory;
  PortConfig config;
  config.rx_descriptors = config.tx_descriptors = 64;
  const auto good = check_port("net_ring:alone", config, factory, pools);
  CHECK(named(good, "net_ring:alone payload").found == "attached without copying (mbuf chains)");
  CHECK_THAT(named(good, "net_ring:alone mtu").found, Catch::Contains("path MTU up to 4096"));
  config.name = "p0";
  const auto missing = check_port("net_af_packet:nowhere0", config, factory, pools);
  REQUIRE(missing.size() == 1);
  CHECK(missing[0].health == Health::kBad);
  CHECK(missing[0].fix == "list the interfaces with ip link");
  CHECK(worst(check_port("nonsense", config, factory, pools)) == Health::kBad);
}

TEST_CASE("the report has a text and a JSON form", "[dataplane][doctor]") {
  const std::vector<Check> checks{{"a", Health::kOk, "fine", ""},
                                  {"long name", Health::kWarn, "slow", "be fast"}};
  CHECK(doctor_text(checks) ==
        "ok    a          fine\nwarn  long name  slow\n                 fix: be fast\n");
  const auto json = nlohmann::json::parse(doctor_json(checks));
  CHECK(json["verdict"] == "warn");
  CHECK(json["checks"][1]["fix"] == "be fast");
  CHECK(json["checks"].size() == 2);
}
