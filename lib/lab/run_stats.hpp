// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "endpoints/endpoints.hpp"
#include "endpoints/payloads.hpp"
#include "endpoints/plan.hpp"
#include "lab/judge.hpp"
#include "stats/sample.hpp"

#include <cstdint>

namespace softfeb::lab {

/// Counts bytes of the receivers' memory that differ from what the QPs' last messages left. For QPs that
/// failed or are unreliable, checks only memory that no message reached.
std::uint64_t memory_wrong(const config::RunConfig& config, const endpoints::Plans& plans,
                           const endpoints::Endpoints& endpoints, const endpoints::Payloads& payloads);

/// Results of a finished run; `last` is its last sample, after the drain. Values from other sources
/// (preempted_share, rate_tracking, sawtooth) are not filled in.
RunStats run_stats(const config::LabConfig& config, const endpoints::Plans& plans,
                   const endpoints::Endpoints& endpoints, const endpoints::Payloads& payloads,
                   const Metrics& metrics, const stats::Sample& last, const Edge& edge = {});

}  // namespace softfeb::lab
