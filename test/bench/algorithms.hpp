// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "congestion/algorithm.hpp"
#include "engine/congestion.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// Congestion control as the benchmarks run it: with parameters that never delay a packet, so that a worker
/// is always busy.
namespace softfeb::bench {

/// Highest rate of a queue pair in bytes per second. It exceeds the rate at which one core can send.
inline constexpr std::uint64_t kMoreThanACore = 125'000'000'000;

/// Names of all algorithms: none, firmware, paper, and those of congestion::algorithms().
std::vector<std::string> algorithm_names();

/// Settings of a queue pair with path MTU `pmtu`. `name` is one of algorithm_names().
engine::CongestionSettings benchmark_settings(const std::string& name, std::uint32_t pmtu);

/// True if the algorithm needs INT records, and thus the congestion control header.
bool needs_int_records(const engine::CongestionSettings& settings);

}  // namespace softfeb::bench
