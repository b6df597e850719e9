// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/snapshot.hpp"
#include "slowcontrol/board_control.hpp"
#include "stats/goodput.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

/// What is told of the boards' slow control: at the start, and in the result.
namespace softfeb::report {

/// `boards[].control` of the result.
nlohmann::ordered_json control_result(const slowcontrol::BoardControl& board);

/// A slot of the metadata bus that holds a queue pair, or has held one that sent something.
bool made_by_bus(const engine::SendQpSnapshot& qp);

/// Such a one as an element of `boards[].qps[]`.
nlohmann::ordered_json bus_qp_result(const engine::SendQpSnapshot& qp, const stats::QpRates& figures);

}  // namespace softfeb::report
