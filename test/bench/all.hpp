// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "environment.hpp"

#include <string>

namespace softfeb::bench {

/// Everything that is claimed, short, in one document; about a minute and a half. `scale` makes each run
/// longer or shorter. What this machine cannot run (`references` without dpdk-testpmd) is named in "skipped".
Json bench_all(const Environment& environment, double scale);

/// What of it did not hold, in words; empty: everything held.
std::string failed_in(const Json& all);

}  // namespace softfeb::bench
