// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "hosts/clock_difference.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace softfeb::experiment {

/// Returns `run.clock_limit` in nanoseconds.
std::int64_t clock_limit_ns(const config::RunConfig& config);

/// Throws ConfigError unless there are as many processes as elements of `hosts`.
void check_host_count(const config::RunConfig& config, std::uint32_t processes);

/// Throws ConfigError if the configuration uses a feature that several hosts do not support: state that
/// endpoints on different hosts would share without exchanging packets, or results that would stay in the
/// process that produced them. Endpoints on host `first`, the host of process 0, may use more features.
void check_host_features(const config::RunConfig& config, std::size_t first);

/// Throws EnvironmentError if the clocks of hosts `here` and `first` differ by more than `run.clock_limit`,
/// even if the error of the measurement is subtracted, or if the difference could not be measured.
void check_clock(const config::RunConfig& config, std::size_t here, std::size_t first,
                 const hosts::ClockReading& reading);

/// Describes why the times of a host cannot be compared with those of host `first`; empty if they can be
/// compared. `before` and `after` are the clock readings before and after the run.
std::string clock_remark(const config::RunConfig& config, std::size_t host, std::size_t first,
                         const hosts::ClockReading& before, const hosts::ClockReading& after);

}  // namespace softfeb::experiment
