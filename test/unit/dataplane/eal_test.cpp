// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/eal.hpp"

#include "temporary_directory.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

using namespace softfeb::dataplane;

namespace {
bool has(const std::vector<std::string>& args, const std::string& wanted) {
  return std::find(args.begin(), args.end(), wanted) != args.end();
}
}  // namespace

TEST_CASE("EAL arguments: ordinary memory when huge pages are too few", "[dataplane][eal]") {
  EalConfig config;
  config.memory_mib = 256;
  CHECK(has(eal_arguments(config, 255), "--no-huge"));
  CHECK_FALSE(has(eal_arguments(config, 256), "--no-huge"));
  CHECK(has(eal_arguments(config, 256), "--in-memory"));
  config.huge = HugePages::kNo;
  CHECK(has(eal_arguments(config, 1024), "--no-huge"));
}

TEST_CASE("EAL arguments: quiet, in memory, PCI only on request", "[dataplane][eal]") {
  EalConfig config;
  const auto plain = eal_arguments(config, 0);
  for (const char* wanted : {"--no-shconf", "--no-telemetry", "--no-pci", "--iova-mode=va",
                             "--log-level=*:error", "--lcores=0@0"}) {
    CAPTURE(wanted);
    CHECK(has(plain, wanted));
  }
  config.pci_devices = {"0000:3b:00.0,x=1"};
  config.telemetry = true;
  config.prefix = "two";
  config.lcores = {{1, 3}, {2, {}}};
  config.main_lcore = 2;
  config.extra = {"--last"};
  const auto full = eal_arguments(config, 0);
  for (const char* wanted : {"0000:3b:00.0,x=1", "--file-prefix=two", "--lcores=1@3,2@2", "--main-lcore=2"}) {
    CAPTURE(wanted);
    CHECK(has(full, wanted));
  }
  for (const char* unwanted : {"--no-pci", "--iova-mode=va", "--no-telemetry", "--no-shconf"}) {
    CAPTURE(unwanted);
    CHECK_FALSE(has(full, unwanted));
  }
  CHECK(full.back() == "--last");
}

TEST_CASE("free huge pages of all sizes are summed", "[dataplane][eal]") {
  const softfeb::test::TemporaryDirectory dir;
  const auto pages = dir.path() / "sys/kernel/mm/hugepages";
  for (const auto& [name, count] : {std::pair{"hugepages-2048kB", "10"}, {"hugepages-1048576kB", "2"}}) {
    std::filesystem::create_directories(pages / name);
    std::ofstream(pages / name / "free_hugepages") << count << '\n';
  }
  CHECK(free_huge_mib(dir.path()) == 20 + 2048);
  CHECK(free_huge_mib((dir.path() / "nowhere").string()) == 0);
}
