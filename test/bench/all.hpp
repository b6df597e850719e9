// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "environment.hpp"

#include <string>

namespace softfeb::bench {

/// Runs all benchmarks with documented results, shortened, into one document; takes about 90 seconds. `scale`
/// changes the duration. Benchmarks that this machine cannot run (`references` without dpdk-testpmd) are
/// listed in "skipped".
Json bench_all(const Environment& environment, double scale);

/// Failed checks as text; empty if all held.
std::string failed_in(const Json& all);

}  // namespace softfeb::bench
