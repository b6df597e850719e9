// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/mac_control.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace softfeb::switchtest {

class Context;

/// The pause frames that a switch obeys and sends. The stimuli of tests depend on them.
struct Findings {
  /// Kind of pause frames with which port D can stop the switch; kOff: none.
  roce::PauseMode obeyed = roce::PauseMode::kOff;
  /// Kind of pause frames that the switch sends; kOff: none was seen.
  roce::PauseMode sends = roce::PauseMode::kOff;
  /// PFC priority that stops frames of a DSCP; nullopt: none does.
  std::array<std::optional<std::uint8_t>, 64> priority_of_dscp{};
};

/// Finds out which pause frames the switch obeys at port D, which it sends to A, and which PFC priority stops
/// which DSCP. Stores this in Context::findings, and adds figures to the report. Runs before all tests.
void run_preflight(Context& ctx);

}  // namespace softfeb::switchtest
