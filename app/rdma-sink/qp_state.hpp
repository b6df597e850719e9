// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace softfeb::sink {

/// State of a queue pair (IBA, section 10.3.1).
enum class QpState : std::uint8_t { kReset, kInit, kRtr, kRts, kErr, kUnknown };

/// Returns "RESET", "INIT", "RTR", "RTS", "ERR" or "unknown", as in reports.
const char* name_of(QpState state);
/// Parses a state that a client may request: "init", "rtr", "rts" or "err". Throws Refusal.
QpState parse_qp_state(std::string_view name);

/// Returns the states that a queue pair must enter, one after another, to get from `from` to `to`; empty if
/// the two are equal. Throws Refusal if there is no way.
std::vector<QpState> steps_to(QpState from, QpState to);

}  // namespace softfeb::sink
