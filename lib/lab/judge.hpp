// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_checks.hpp"
#include "config/lab_config.hpp"
#include "lab/run_stats.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace softfeb::lab {

/// A result and its limit.
struct CheckResult {
  std::string name;
  config::LimitUnit unit = config::LimitUnit::kCount;
  bool at_least = false;
  bool gated = true;  ///< counts towards the verdict
  bool held = false;
  std::optional<double> value;  ///< empty: there was nothing to check
  double limit = 0;
};

enum class Verdict : std::uint8_t {
  kHeld,
  kFailed,        ///< a gated check did not hold
  kInconclusive,  ///< all gated checks held, but preemption makes the timing meaningless
};
std::string_view to_string(Verdict verdict);

/// The value that the check of that name compares; empty if the run has none.
std::optional<double> value_of(std::string_view name, const RunStats& figures);

/// The experiment's checks, then conservation, which is part of every experiment. In real time, checks that
/// depend on timing do not count. Checks of steady states do not count if the run was too short for one.
std::vector<CheckResult> judge(const config::LabSettings& lab, const RunStats& figures);
Verdict verdict_of(const config::LabSettings& lab, const RunStats& figures,
                   const std::vector<CheckResult>& checks);

}  // namespace softfeb::lab
