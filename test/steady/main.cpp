// SPDX-License-Identifier: BSD-3-Clause
// Tests that the packet path does not allocate, lock, print, or call the kernel after a warm-up.
#include "catch_runner.hpp"
#include "dataplane/cpus.hpp"
#include "dataplane/eal.hpp"

#include <cstdio>
#include <exception>

/// Initializes DPDK with two workers and without huge pages and devices. This is possible only once per
/// process.
int main(int argc, char* argv[]) {
  using namespace softfeb::dataplane;
  try {
    EalConfig config;
    config.huge = HugePages::kNo;
    config.memory_mib = 192;
    config.lcores = place_lcores(2, {}, usable_cpus());
    config.main_lcore = 0;
    const Eal eal(config);
    return softfeb::test::run_catch(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 3;
  }
}
