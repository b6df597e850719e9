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

/// Bytes of the receivers' memory that are not what the QPs' last messages left there. Of QPs that failed, or
/// are unreliable, only what nobody reached is looked at.
std::uint64_t memory_wrong(const config::RunConfig& config, const Plans& plans, const Endpoints& endpoints,
                           const Payloads& payloads);

/// The figures of a run that has ended, with `last` its last sample, when all was quiet. Those that come from
/// elsewhere (stolen_share, rate_tracking, sawtooth) are left open.
RunFigures run_figures(const config::LabConfig& config, const Plans& plans, const Endpoints& endpoints,
                       const Payloads& payloads, const Metrics& metrics, const Sample& last,
                       const Edge& edge = {});

}  // namespace softfeb::lab
