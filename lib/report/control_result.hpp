// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/snapshot.hpp"
#include "slowcontrol/board_control.hpp"
#include "stats/goodput.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

/// Results of the boards' slow control.
namespace softfeb::report {

/// Returns `boards[].control` of the result.
nlohmann::ordered_json control_result(const slowcontrol::BoardControl& board);

/// True if a QP that was created over the metadata bus still exists or has generated messages.
bool made_by_bus(const engine::SendQpSnapshot& qp);

/// Returns the element of `boards[].qps[]` for a QP that was created over the metadata bus.
nlohmann::ordered_json bus_qp_result(const engine::SendQpSnapshot& qp, const stats::QpRates& figures);

}  // namespace softfeb::report
