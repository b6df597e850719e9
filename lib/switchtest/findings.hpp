// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/mac_control.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace softfeb::switchtest {

/// What earlier tests have found, for the stimuli of later ones.
struct Findings {
  /// Kind of pause frames with which port D can stop the switch (preflight); kOff: none.
  roce::PauseMode obeyed = roce::PauseMode::kOff;
  /// Kind of pause frames that the switch sends; kOff: none was seen.
  roce::PauseMode sends = roce::PauseMode::kOff;
  /// PFC priority that stops frames of a DSCP; nullopt: none does.
  std::array<std::optional<std::uint8_t>, 64> priority_of_dscp{};
};

}  // namespace softfeb::switchtest
