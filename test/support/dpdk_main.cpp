// SPDX-License-Identifier: BSD-3-Clause
#include "catch_runner.hpp"
#include "dataplane/eal.hpp"

#include <cstdio>
#include <exception>

/// Initializes DPDK without huge pages and devices. This is possible only once per process.
int main(int argc, char* argv[]) {
  try {
    softfeb::dataplane::EalConfig config;
    config.huge = softfeb::dataplane::HugePages::kNo;
    config.memory_mib = 192;
    const softfeb::dataplane::Eal eal(config);
    return softfeb::test::run_catch(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 3;
  }
}
