// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace softfeb::telemetry {

/// The metrics of this process that Prometheus' client libraries write, with their usual names: CPU time,
/// memory, file descriptors, and the start time of the process. Omits what /proc does not provide. `proc` is
/// the folder of the process.
std::string process_metrics(const std::string& proc = "/proc/self");

}  // namespace softfeb::telemetry
