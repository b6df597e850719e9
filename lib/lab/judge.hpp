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

/// The value that a check found, and its limit.
struct CheckResult {
  std::string name;
  config::LimitUnit unit = config::LimitUnit::kCount;
  bool at_least = false;
  bool gated = true;  ///< true if the check counts towards the verdict
  bool held = false;
  std::optional<double> value;  ///< empty if there was nothing to check
  double limit = 0;
};

enum class Verdict : std::uint8_t {
  kHeld,
  kFailed,        ///< a gated check did not hold
  kInconclusive,  ///< all gated checks held, but preemption makes the timing meaningless
};
std::string_view to_string(Verdict verdict);

/// Returns the value that check `name` compares with its limit; empty if the run has no such value.
std::optional<double> value_of(std::string_view name, const RunStats& figures);

/// Evaluates the checks of the experiment, and then the conservation checks, which every experiment has. If
/// there are fault rules, also evaluates the check `fault_rules`, because a rule that was never hit tested
/// nothing. Two kinds of checks do not count towards the verdict (`gated` is false): checks that depend on
/// timing, if the run was in real time; and checks of steady states, if the run was too short to reach one.
std::vector<CheckResult> judge(const config::LabSettings& lab, const RunStats& figures);
Verdict verdict_of(const config::LabSettings& lab, const RunStats& figures,
                   const std::vector<CheckResult>& checks);

}  // namespace softfeb::lab
