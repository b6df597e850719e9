// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/payloads.hpp"
#include "endpoints/plan.hpp"
#include "engine/send_qp.hpp"

namespace softfeb::endpoints {

/// Configuration of a sending QP, without its congestion control, random traffic and latency stamps.
engine::SendQpConfig send_qp_of(const config::RunConfig& config, const QpPlan& plan,
                                const Payloads& payloads);

}  // namespace softfeb::endpoints
