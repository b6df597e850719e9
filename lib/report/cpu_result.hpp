// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/cpu_shares.hpp"

#include <nlohmann/json.hpp>

namespace softfeb::report {

/// Returns the member `cpu` of an element of `workers` (doc/result.md): for each stage, the distribution of
/// its share of the worker's time. Returns null if there is no sample.
nlohmann::ordered_json cpu_result(const dataplane::CpuShares& shares);

}  // namespace softfeb::report
