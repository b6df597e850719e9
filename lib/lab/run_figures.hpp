// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "lab/endpoints.hpp"
#include "lab/judge.hpp"
#include "lab/payloads.hpp"
#include "lab/plan.hpp"
#include "lab/sample.hpp"

#include <cstdint>

namespace softfeb::lab {

/// Counts bytes of the receivers' memory that differ from what the QPs' last messages left. For QPs that
/// failed or are unreliable, checks only memory that no message reached.
std::uint64_t memory_wrong(const config::RunConfig& config, const Plans& plans, const Endpoints& endpoints,
                           const Payloads& payloads);

/// Results of a finished run; `last` is its last sample, after the drain. Values from other sources
/// (stolen_share, rate_tracking, sawtooth) are not filled in.
RunFigures run_figures(const config::LabConfig& config, const Plans& plans, const Endpoints& endpoints,
                       const Payloads& payloads, const Metrics& metrics, const Sample& last,
                       const Edge& edge = {});

}  // namespace softfeb::lab
